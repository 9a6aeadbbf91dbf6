//! The words of one sentence: the rules of the Penn Treebank as NLTK extends them.
//!
//! The rules rewrite the sentence until blanks stand wherever words part, and their order matters:
//! each sees the blanks that the earlier ones have put. Double quotes come out as the Treebank
//! writes them: two backticks opening, two single quotes closing.

use std::{borrow::Cow, sync::LazyLock};

use fancy_regex::Regex;

/// Pattern and replacement.
type Replacement = (&'static str, &'static str);

/// Quotes that open, and punctuation.
const MARKS: &[Replacement] = &[
    (r"([«“‘„]|`+)", " ${1} "),
    (r#"^""#, "``"),
    (r"``", " `` "),
    (r#"([ (\[{<])(?:"|'')"#, "${1} `` "),
    // A single quote that opens a word and is no clitic.
    (r"(?i)(?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)", "' "),
    // The period that ends the sentence, before closing quotes and brackets.
    (r#"([^.])\.([\])}>"'»”’ ]*)\s*$"#, "${1} . ${2} "),
    (r"([:,])([^\d])", " ${1} ${2}"),
    (r"([:,])$", " ${1} "),
    (r"\.{2,}", " ${0} "),
    (r"[;@#$%&]", " ${0} "),
    (r"[\u{2012}-\u{2015}]", " ${0} "),
    // Once more, for periods that the rules above have laid bare.
    (r#"([^.])\.([\])}>"']*)\s*$"#, "${1} .${2} "),
    (r"[?!]", " ${0} "),
    (r"([^'])' ", "${1} ' "),
    (r"\*", " ${0} "),
    (r"[\]\[(){}<>]", " ${0} "),
    (r"--", " -- "),
];

/// Quotes that close, clitics, and words that are two; for a sentence between two blanks.
const ENDINGS: &[Replacement] = &[
    (r"[»”’]", " ${0} "),
    (r#"''|""#, " '' "),
    (r"\s+", " "),
    (r"([^' ])('[sSmMdD]|') ", "${1} ${2} "),
    (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", "${1} ${2} "),
    (r"(?i)\b(can)(not)\b", " ${1} ${2} "),
    (r"(?i)\b(d)('ye)\b", " ${1} ${2} "),
    (r"(?i)\b(gim|lem)(me)\b", " ${1} ${2} "),
    (r"(?i)\b(gon)(na)\b", " ${1} ${2} "),
    (r"(?i)\b(got)(ta)\b", " ${1} ${2} "),
    (r"(?i)\b(more)('n)\b", " ${1} ${2} "),
    (r"(?i)\b(wan)(na)(?=\s)", " ${1} ${2} "),
    (r"(?i) ('t)(is|was)\b", " ${1} ${2} "),
];

/// The words of a sentence.
pub(super) fn words(sentence: &str) -> Result<Vec<String>, fancy_regex::Error> {
    static RULES: LazyLock<[Vec<(Regex, &str)>; 2]> =
        LazyLock::new(|| [MARKS, ENDINGS].map(compiled));
    let [marks, endings] = &*RULES;
    let marked = rewritten(sentence.to_owned(), marks)?;
    let parted = rewritten(format!(" {marked} "), endings)?;
    Ok(parted.split_whitespace().map(str::to_owned).collect())
}

fn compiled(rules: &[Replacement]) -> Vec<(Regex, &'static str)> {
    rules
        .iter()
        .map(|(pattern, replacement)| {
            (Regex::new(pattern).expect("the patterns of the table are well-formed"), *replacement)
        })
        .collect()
}

fn rewritten(mut text: String, rules: &[(Regex, &str)]) -> Result<String, fancy_regex::Error> {
    for (pattern, replacement) in rules {
        if let Cow::Owned(changed) = pattern.try_replacen(&text, 0, *replacement)? {
            text = changed;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_words_as_the_treebank_does() {
        let cases: &[(&str, &str)] = &[
            ("'Tis said I cannot; we've gotta go.", "' Tis said I can not ; we 've got ta go ."),
            ("She said, 'stop' (\"now\").", "She said , ' stop ' ( `` now '' ) ."),
            ("50% of $3,000.50--gone...", "50 % of $ 3,000.50 -- gone ..."),
            ("the dogs' owner's N'T", "the dogs ' owner 's N'T"),
            ("«oui» – at 3:00, Mr. X", "« oui » – at 3:00 , Mr. X"),
        ];
        for (sentence, expected) in cases {
            assert_eq!(words(sentence).unwrap().join(" "), *expected);
        }
    }
}
