//! Okapi BM25, the scores by which texts are ranked against a query.

use indexmap::IndexMap;

/// How soon further occurrences of a word in a text stop counting.
const K1: f64 = 1.5;
/// How much longer texts are held back.
const B: f64 = 0.75;
/// The weight of words found in more than half of the texts, as a share of the mean weight.
const EPSILON: f64 = 0.25;

/// An index of tokenized texts.
///
/// With N texts of mean length L, of which n(w) contain the word w, the weight of w is
/// idf(w) = ln(N − n(w) + 0.5) − ln(n(w) + 0.5), or ε times the mean of all idf where that is
/// negative; a text of length l in which w occurs f(w) times scores
/// Σ idf(w) · f(w)(k₁ + 1) / (f(w) + k₁(1 − b + b·l/L)) over the words of the query, repeated words
/// repeatedly. This is the variant of `rank_bm25.BM25Okapi`, after Trotman, Puurula and Burgess,
/// "Improvements to BM25 and Language Models Examined" (2014).
#[derive(Clone, Debug)]
pub struct Okapi {
    /// In order of first occurrence, which is the order in which the mean idf is summed.
    words: IndexMap<String, Word>,
    /// Per text k₁(1 − b + b·l/L).
    dampings: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
struct Word {
    idf: f64,
    /// The texts that contain the word, with its number of occurrences.
    occurrences: Vec<(u32, u32)>,
}

/// Texts that are indexed one after the other, so that their words need not be held beside the index.
#[derive(Clone, Debug, Default)]
pub struct OkapiTexts {
    words: IndexMap<String, Word>,
    /// Words of each text.
    lengths: Vec<usize>,
}

impl OkapiTexts {
    /// Adds the next text.
    pub fn add(&mut self, text: &[String]) {
        let number = self.lengths.len() as u32;
        for token in text {
            if !self.words.contains_key(token) {
                self.words.insert(token.clone(), Word::default());
            }
            let Some(word) = self.words.get_mut(token) else { continue };
            match word.occurrences.last_mut() {
                Some((last, count)) if *last == number => *count += 1,
                _ => word.occurrences.push((number, 1)),
            }
        }
        self.lengths.push(text.len());
    }

    /// The index of texts that are searched rather than shown as examples; nothing if they have no word at all.
    ///
    /// The weight of a word is ln(1 + (N − n(w) + 0.5) / (n(w) + 0.5)), as in Lucene and what is built on it: it is
    /// never zero or less, so that a word is found also where most texts have it, or where there are few texts.
    pub fn for_search(self) -> Option<Okapi> {
        self.weighted(|total, containing| ((total - containing + 0.5) / (containing + 0.5)).ln_1p())
    }

    /// `idf` makes a word's weight of the number of texts and of those that contain it.
    fn weighted(mut self, idf: impl Fn(f64, f64) -> f64) -> Option<Okapi> {
        if self.words.is_empty() {
            return None;
        }
        let total = self.lengths.len() as f64;
        for word in self.words.values_mut() {
            word.occurrences.shrink_to_fit();
            word.idf = idf(total, word.occurrences.len() as f64);
        }
        let mean_tokens = self.lengths.iter().sum::<usize>() as f64 / total;
        let damping = |length: usize| K1 * (1.0 - B + B * length as f64 / mean_tokens);
        let dampings = self.lengths.into_iter().map(damping).collect();
        Some(Okapi { words: self.words, dampings })
    }
}

impl Okapi {
    /// Indexes texts; nothing if they have no word at all.
    pub fn new(texts: &[Vec<String>]) -> Option<Self> {
        let mut all = OkapiTexts::default();
        for text in texts {
            all.add(text);
        }
        let mut index = all.weighted(|total, containing| {
            (total - containing + 0.5).ln() - (containing + 0.5).ln()
        })?;
        let words = &mut index.words;
        let mean_idf = words.values().map(|word| word.idf).sum::<f64>() / words.len() as f64;
        for word in words.values_mut().filter(|word| word.idf < 0.0) {
            word.idf = EPSILON * mean_idf;
        }
        Some(index)
    }

    /// The score of every text against the query, in order of the texts.
    pub fn scores(&self, query: &[String]) -> Vec<f64> {
        let mut scores = vec![0.0; self.dampings.len()];
        for word in query.iter().filter_map(|token| self.words.get(token)) {
            for &(text, count) in &word.occurrences {
                let (text, count) = (text as usize, f64::from(count));
                if let (Some(score), Some(damping)) =
                    (scores.get_mut(text), self.dampings.get(text))
                {
                    *score += word.idf * (count * (K1 + 1.0) / (count + damping));
                }
            }
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<Vec<String>> {
        texts.iter().map(|text| text.split(' ').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn a_word_of_one_text_in_four_weighs_its_idf() {
        let index = Okapi::new(&texts(&["a", "b", "c", "d"])).unwrap();
        let scores = index.scores(&texts(&["b b z"])[0]);
        let expected = 2.0 * (3.5_f64.ln() - 1.5_f64.ln());
        assert!((scores[1] - expected).abs() < 1e-12, "{scores:?}");
        assert_eq!((scores[0], scores[3]), (0.0, 0.0));
    }

    #[test]
    fn a_searched_word_always_weighs_something() {
        let mut all = OkapiTexts::default();
        for text in &texts(&["a b", "a c"]) {
            all.add(text);
        }
        let index = all.for_search().unwrap();
        let scores = index.scores(&texts(&["a b"])[0]);
        assert!((scores[1] - 1.2_f64.ln()).abs() < 1e-12, "{scores:?}");
        assert!((scores[0] - 1.2_f64.ln() - 2_f64.ln()).abs() < 1e-12, "{scores:?}");
    }

    #[test]
    fn no_words_no_index() {
        assert!(OkapiTexts::default().for_search().is_none());
        assert!(Okapi::new(&[]).is_none());
        assert!(Okapi::new(&[vec![], vec![]]).is_none());
    }
}
