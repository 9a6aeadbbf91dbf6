//! `longbench_*`: summaries, code and classes of questions about long texts.
//!
//! What the original does to a prediction while it goes through the references stays done for the next
//! reference, and here too.

use serde_json::Value;

use super::{
    EvaluateError, Evaluator,
    by_row::{Asked, ByRow, Grade},
    edit_distance::indel_ratio,
    language::Language,
    sentence_rouge::rouge_l,
};
use crate::{
    config::{Component, ConfigError},
    postprocess::words,
};

/// What marks a line as no code.
const NO_CODE: [&str; 3] = ["`", "#", "//"];

/// The metric of summaries, which reads `language`: `en` (the default) or `zh`.
pub(super) fn rouge(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
    Ok(Box::new(match Language::of(component)? {
        Language::En => ByRow::new("longbench_rouge", |asked| best_rouge(asked, false)),
        Language::Zh => ByRow::new("longbench_rouge", |asked| best_rouge(asked, true)),
    }))
}

/// The reference that shares most with the prediction; nothing where one of them is empty.
fn best_rouge(asked: &Asked<'_>, is_chinese: bool) -> Result<Grade, EvaluateError> {
    let cut =
        |text: &str| words(text).map(|words| words.join(" ")).map_err(|error| asked.failed(error));
    let mut prediction = asked.prediction()?.to_owned();
    let mut best: f64 = 0.0;
    for mut reference in asked.references()? {
        if is_chinese {
            (prediction, reference) = (cut(&prediction)?, cut(&reference)?);
        }
        best = best.max(rouge_l(&prediction, &reference).unwrap_or(0.0));
    }
    Ok(Grade::share(best))
}

/// How like a reference the first line of code is, in whole percent.
pub(super) fn code_similarity(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let mut prediction = asked.prediction()?;
    let mut best: f64 = 0.0;
    for reference in asked.references()? {
        let is_code = |line: &&str| NO_CODE.iter().all(|mark| !line.contains(mark));
        prediction =
            prediction.trim_start_matches('\n').split('\n').find(is_code).unwrap_or_default();
        best = best.max(whole_percent(prediction, &reference) / 100.0);
    }
    Ok(Grade::share(best))
}

/// The likeness of two texts, from 0 to 100, rounded as Python rounds.
fn whole_percent(left: &str, right: &str) -> f64 {
    let letters = |text: &str| text.chars().collect::<Vec<_>>();
    match (left, right) {
        _ if left == right => 100.0,
        ("", _) | (_, "") => 0.0,
        _ => (100.0 * indel_ratio(&letters(left), &letters(right))).round_ties_even(),
    }
}

/// A share of 1 for each answer among the classes that the prediction names, over their number. A class
/// that is part of the answer does not count, but for one that follows another such class at once.
pub(super) fn classification(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let expected = "a dict of answers and all_classes";
    let reference = &asked.row.reference;
    let list = |field: &str| {
        let found = reference.get(field).and_then(Value::as_array);
        found.ok_or_else(|| asked.unreadable_reference(expected))
    };
    let prediction = asked.prediction()?;
    let mut share = 0.0;
    for answer in list("answers")? {
        let answer = asked.text("an answer", answer)?;
        let mut named = Vec::new();
        for class in list("all_classes")? {
            let class = asked.text("a class", class)?;
            if prediction.contains(class) {
                named.push(class);
            }
        }
        let mut place = 0;
        while let Some(&class) = named.get(place) {
            if class != answer && answer.contains(class) {
                // The first of its name goes, and with it the place of the one that comes next.
                if let Some(first) = named.iter().position(|other| *other == class) {
                    named.remove(first);
                }
            }
            place += 1;
        }
        if named.contains(&answer) {
            share += 1.0 / named.len() as f64;
        }
    }
    Ok(Grade::share(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_is_that_of_fuzzywuzzy() {
        // Each row was run in fuzzywuzzy 0.18.0 with python-Levenshtein 0.27.5.
        let rows =
            [("", "", 100.0), ("a", "", 0.0), ("return x", "return y", 88.0), ("ab", "ba", 50.0)];
        for (left, right, expected) in rows {
            assert!((whole_percent(left, right) - expected).abs() < 1e-12, "{left} {right}");
        }
    }
}
