//! What the sentence splitter knows about English words.

/// Words that are commonly written with a period that ends no sentence, in lower case and without
/// the last period.
///
/// Abbreviations that are also everyday words, such as "sat." or "no.", are absent, since more
/// sentences end with the word than contain the abbreviation.
///
/// Latin abbreviations such as "e.g.", "i.e." and "etc." are absent on purpose: NLTK's English
/// model has not learnt them and takes their period for the end of a sentence.
const ABBREVIATIONS: &[&str] = &[
    // Titles and names.
    "adj", "adm", "brig", "capt", "cmdr", "col", "dr", "gen", "gov", "hon", "jr", "lt", "maj",
    "messrs", "mr", "mrs", "ms", "msgr", "ph.d", "pres", "prof", "rep", "reps", "rev", "sen",
    "sens", "sgt", "sr", "st", "supt", // Companies.
    "bros", "cie", "co", "corp", "cos", "inc", "ltd", "mfg", "s.a", "s.p.a",
    // Months and days.
    "jan", "feb", "apr", "aug", "sept", "oct", "nov", "dec", "tues", "thurs", "fri", // Places.
    "ala", "ariz", "ave", "blvd", "calif", "colo", "conn", "d.c", "fla", "ga", "kan", "ky", "md",
    "mich", "minn", "mont", "mt", "n.c", "n.d", "n.h", "n.j", "n.m", "n.y", "neb", "nev", "okla",
    "rd", "s.c", "s.d", "tenn", "tex", "u.k", "u.n", "u.s", "va", "vt", "w.va", "wis", "wyo",
    // Time, numbers and the rest.
    "a.d", "a.m", "b.c", "p.m", "vol", "vs",
];

/// Words that often open a sentence; each is also common in lower case, so a capital letter on it
/// is a sign of an opening rather than of a name.
const SENTENCE_OPENERS: &[&str] = &[
    "a",
    "after",
    "all",
    "also",
    "although",
    "among",
    "an",
    "and",
    "another",
    "as",
    "at",
    "because",
    "before",
    "both",
    "but",
    "by",
    "during",
    "each",
    "even",
    "every",
    "for",
    "from",
    "he",
    "her",
    "his",
    "how",
    "however",
    "i",
    "if",
    "in",
    "indeed",
    "instead",
    "it",
    "its",
    "many",
    "meanwhile",
    "moreover",
    "most",
    "my",
    "no",
    "nor",
    "now",
    "of",
    "on",
    "once",
    "one",
    "only",
    "or",
    "other",
    "our",
    "she",
    "since",
    "so",
    "some",
    "still",
    "such",
    "that",
    "the",
    "their",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "though",
    "thus",
    "to",
    "under",
    "until",
    "we",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "whose",
    "why",
    "with",
    "without",
    "yet",
    "you",
    "your",
];

/// Whether the period after this word, given in lower case and without it, belongs to the word.
/// Of a compound such as "vice-pres" the last part decides.
pub(super) fn is_abbreviation(word: &str) -> bool {
    let last_part = word.rsplit('-').next().unwrap_or(word);
    ABBREVIATIONS.contains(&word) || ABBREVIATIONS.contains(&last_part)
}

/// Whether this word, given in lower case, often opens a sentence.
pub(super) fn is_sentence_opener(word: &str) -> bool {
    SENTENCE_OPENERS.contains(&word)
}
