//! `anls`: how near an answer is to the gold that fits best, letter by letter, and nothing below a half.
//!
//! The formula is that of `DocVQA`'s evaluation script (Biten et al. 2019; `rrc.cvc.uab.es`, challenge 17), which
//! lmms-eval's `anls` repeats: edits between both texts in lower case with single blanks, over the length of the longer
//! one *as it was written*. A half counts in full there, though the paper's formula leaves it out. `VLMEvalKit` divides
//! by the length after blanks were joined, so its figure is lower where a wrong answer has blanks in excess.

use super::{
    EvaluateError,
    by_row::{Asked, Grade},
    edit_distance::edit_distance,
};
use crate::python::is_blank;

/// The least likeness that counts.
const THRESHOLD: f64 = 0.5;

/// The likeness to the gold that fits best, from 0 to 1, or 0 below [`THRESHOLD`].
pub(super) fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let answer = asked.prediction()?;
    let golds = asked.texts()?;
    let best = golds.iter().map(|gold| likeness(gold, answer)).reduce(f64::max);
    let best = best.ok_or_else(|| asked.unreadable_reference("an accepted answer"))?;
    let share = if best < THRESHOLD { 0.0 } else { best };
    Ok(Grade::share(share).noted([
        ("pred", answer.into()),
        ("answer", asked.row.reference.clone()),
        ("anls", share.into()),
    ]))
}

/// One without the share of letters that were changed; of two empty texts 1.
fn likeness(gold: &str, answer: &str) -> f64 {
    let distance = edit_distance(&normal(gold), &normal(answer));
    let length = |text: &str| text.to_uppercase().chars().count();
    match length(gold).max(length(answer)) {
        0 => 1.0,
        longer => 1.0 - distance as f64 / longer as f64,
    }
}

/// The letters in lower case, its words with one blank between them.
fn normal(text: &str) -> Vec<char> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(is_blank).filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::evaluate::{EvaluateError, Evaluator as _, Row, by_row::ByRow};

    fn anls(answer: &str, golds: Value) -> Result<f64, EvaluateError> {
        let rows = Row::zip(vec![answer.into()], vec![golds]).unwrap();
        Ok(ByRow::new("anls", grade).called("anls").evaluate(&rows)?.metrics[0].scores[0])
    }

    #[test]
    fn likeness_is_that_of_the_published_script() {
        for (answer, golds, expected) in [
            ("Coca Cola", json!("coca  cola"), 1.0),
            ("Coco Cola", json!(["Pepsi", "coca cola"]), 1.0 - 1.0 / 9.0),
            // Four of eight letters: a half counts.
            ("abcdwxyz", json!(["abcdefgh"]), 0.5),
            ("abcvwxyz", json!(["abcdefgh"]), 0.0),
            ("", json!(["7"]), 0.0),
            ("", json!([""]), 1.0),
            ("  ", json!([""]), 1.0),
            // One edit over the length as written, blanks in excess included.
            ("ab   d", json!(["ab c"]), 1.0 - 1.0 / 6.0),
            ("ÉCOLE", json!(["école"]), 1.0),
            ("ecole", json!(["école"]), 1.0 - 1.0 / 5.0),
            // A sharp s has two letters in upper case, which is what lengths are counted in.
            ("Masse", json!(["Maße"]), 1.0 - 2.0 / 5.0),
            ("-5 %", json!(["5 %"]), 1.0 - 1.0 / 4.0),
            ("東京都", json!(["東京"]), 1.0 - 1.0 / 3.0),
            ("3\u{a0}km\n", json!(["3 km"]), 1.0),
        ] {
            let found = anls(answer, golds.clone()).unwrap();
            assert!((found - expected).abs() < 1e-12, "{answer:?} {golds}: {found}");
        }
    }

    #[test]
    fn a_row_without_a_gold_is_an_error_that_names_it() {
        for golds in [json!([]), json!(null), json!([7])] {
            let error = anls("x", golds).unwrap_err().to_string();
            assert!(error.starts_with("row 0: anls needs"), "{error}");
        }
    }
}
