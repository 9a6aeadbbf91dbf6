//! Seeded prose that looks like English to a tokenizer: common words are as common as in English, rare
//! ones are made of syllables, and sentences have commas, numbers and full stops.

/// `SplitMix64`: numbers that are the same on every machine.
pub(crate) struct Draw(u64);

impl Draw {
    /// Numbers that only depend on `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % end as u64) as usize
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

const COMMON: &str = "the of and to in a is that for it as was with be by on not he his but at are this have from \
    or had an they which one you were all her she there would their we him been has when who will no more if out so \
    up said what its about than into them can only other time new some could these two may first then do any like my \
    now over such our man even most made after also did many off before must well back through years where much your \
    way down should because long each just state those people too mr how little good world make very year still see \
    work men day get here old life both between under last us never place same another while number part house found \
    without against might great right again high during came used however small water large given following process \
    energy value force law system because increase rate cell theory market evidence court";
const ONSETS: &[&str] = &[
    "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr", "pr",
    "ch", "sh", "pl", "gr", "con", "re", "in", "de", "pro",
];
const NUCLEI: &[&str] = &["a", "e", "i", "o", "u", "ea", "io", "ou", "ai", "y"];
const CODAS: &[&str] = &[
    "", "n", "r", "s", "t", "l", "m", "nt", "st", "ck", "tion", "ment", "ing", "ed", "al", "ous",
    "ity",
];

/// Rare words that exist.
const RARE_WORDS: usize = 30_000;

/// A vocabulary to write with.
pub(crate) struct Prose {
    common: Vec<&'static str>,
    rare: Vec<String>,
}

impl Prose {
    /// The same vocabulary every time.
    pub(crate) fn new() -> Self {
        let mut draw = Draw::new(1);
        let rare = (0..RARE_WORDS).map(|_| {
            let syllables = 1 + draw.below(3);
            let syllable = |_| [draw.pick(ONSETS), draw.pick(NUCLEI), draw.pick(CODAS)].concat();
            (0..syllables).map(syllable).collect()
        });
        Self { rare: rare.collect(), common: COMMON.split_whitespace().collect() }
    }

    /// So many words, without a full stop at the end.
    pub(crate) fn words(&self, draw: &mut Draw, count: usize) -> String {
        let mut text = String::new();
        let mut begins = true;
        for index in 0..count {
            if index > 0 {
                text.push(' ');
            }
            let word = self.word(draw);
            match word.chars().next() {
                Some(first) if begins => {
                    text.extend(first.to_uppercase());
                    text.push_str(&word[first.len_utf8()..]);
                }
                _ => text.push_str(&word),
            }
            let end = if index + 1 == count {
                ""
            } else {
                ["", "", "", "", "", "", "", "", "", ",", "."][draw.below(11)]
            };
            text.push_str(end);
            begins = end == ".";
        }
        text
    }

    /// Nearly half of English is its hundred commonest words; the rest grows rarer with its rank.
    fn word(&self, draw: &mut Draw) -> String {
        match draw.below(100) {
            0..55 => {
                let within = 1 + draw.below(self.common.len());
                self.common[draw.below(within)].to_owned()
            }
            55..57 => draw.below(2100).to_string(),
            _ => {
                let mut end = self.rare.len();
                for _ in 0..3 {
                    end = 1 + draw.below(end);
                }
                self.rare[end - 1].clone()
            }
        }
    }
}
