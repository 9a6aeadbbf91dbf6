//! Parts of a text that answer a question: F1 of their letters.

use std::sync::LazyLock;

use fancy_regex::Regex;
use indexmap::IndexMap;

use super::{
    super::{EvaluateError, by_row::Asked, token_f1::f1},
    Judged,
};
use crate::python::{blank::strip, is_blank, is_digit};

/// The named parts of a case.
const ENTITIES: [&str; 10] = [
    "犯罪嫌疑人",
    "受害人",
    "被盗货币",
    "物品价值",
    "盗窃获利",
    "被盗物品",
    "作案工具",
    "时间",
    "地点",
    "组织机构",
];

/// What keeps a harmonic mean of nothing from being undefined.
const NOTHING: f64 = 1e-10;

/// `2_5`: an answer to a question about a text.
pub(super) fn reading(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    let reference = asked.reference()?.replace("回答:", "");
    Ok(Judged::graded(letter_f1(&reference, asked.prediction()?)))
}

/// `2_10`: the words that tell of events, compared place by place.
pub(super) fn triggers(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    let golds: Vec<&str> = asked.reference()?.split(';').collect();
    let found: Vec<&str> = asked.prediction()?.split(';').collect();
    let sum = golds.iter().zip(&found).map(|(gold, own)| letter_f1(gold, own)).sum::<f64>();
    Ok(Judged::graded(f_measure(sum, found.len(), golds.len())))
}

/// `2_6`: the named parts of a case.
pub(super) fn entities(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    let golds = golds(asked)?;
    let found = named(asked.prediction()?);
    if golds.is_empty() {
        return Ok(Judged::graded(f64::from(u8::from(found.is_empty()))));
    }
    let shared =
        found.iter().filter_map(|(name, own)| golds.get(name).map(|gold| letter_f1(gold, own)));
    let grade = f_measure(shared.sum(), found.len(), golds.len());
    Ok(Judged { grade: Some(grade), abstains: found.is_empty() })
}

/// The parts of a reference: `name:text;name:text`.
fn golds<'r>(asked: &Asked<'r>) -> Result<IndexMap<&'r str, &'r str>, EvaluateError> {
    let expected = "names and texts with ':' between them, and ';' between pairs";
    let reference = asked.reference()?;
    if strip(reference).is_empty() {
        return Ok(IndexMap::new());
    }
    let pair = |pair: &'r str| {
        let mut parts = pair.split(':');
        parts.next().zip(parts.next()).ok_or_else(|| asked.unreadable_reference(expected))
    };
    reference.split(';').map(pair).collect()
}

/// What the prediction says behind each name and a colon, up to the next blank; the last counts.
fn named(prediction: &str) -> IndexMap<&'static str, &str> {
    let mut found = IndexMap::new();
    for name in ENTITIES {
        for (start, _) in prediction.match_indices(name) {
            let behind = prediction.get(start + name.len()..).unwrap_or_default();
            let mut letters = behind.chars();
            // A colon with a single letter behind it is not looked at.
            let (Some(':' | '：'), true) = (letters.next(), behind.chars().count() > 2) else {
                continue;
            };
            let text = letters.as_str().trim_matches(is_blank);
            let text = strip(text.split(['\n', ' ']).next().unwrap_or_default());
            if text != "无" && text != "未提及" {
                found.insert(name, text);
            }
        }
    }
    found
}

fn f_measure(sum: f64, own: usize, other: usize) -> f64 {
    let share = |of: usize| if of == 0 { 0.0 } else { sum / of as f64 };
    let (precision, recall) = (share(own), share(other));
    2.0 * precision * recall / (precision + recall + NOTHING)
}

/// F1 of letters and digits; two texts without any are the same.
fn letter_f1(gold: &str, own: &str) -> f64 {
    let (gold, own) = (letters(gold), letters(own));
    if gold.is_empty() || own.is_empty() {
        return f64::from(u8::from(gold.is_empty() && own.is_empty()));
    }
    f1(&own, &gold)
}

/// The letters and digits of a text in lower case.
fn letters(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower.chars().filter(|&c| is_digit(c) || is_alphabetic(c)).map(String::from).collect()
}

/// `str.isalpha()` of one character: Unicode's category of letters.
fn is_alphabetic(letter: char) -> bool {
    static LETTER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\p{L}").expect("the pattern is well-formed"));
    if letter.is_ascii() {
        return letter.is_ascii_alphabetic();
    }
    LETTER.is_match(letter.encode_utf8(&mut [0; 4])).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_followed_by_a_colon_and_a_text() {
        let found = named("受害人：张某 在家\n时间:无 地点：北市。时间:三月一日");
        let expected = [("受害人", "张某"), ("时间", "三月一日"), ("地点", "北市。时间:三月一日")];
        for (name, text) in expected {
            assert_eq!(found.get(name), Some(&text));
        }
        assert_eq!(found.len(), 3);
        assert!(named("时间:三").is_empty());
    }

    #[test]
    fn letters_and_digits_are_compared() {
        assert!((letter_f1("三月，1日", "1 日") - 2.0 / 3.0).abs() < 1e-12);
        assert!((letter_f1("。", "") - 1.0).abs() < 1e-12);
        assert!(letter_f1("a", "").abs() < 1e-12);
    }
}
