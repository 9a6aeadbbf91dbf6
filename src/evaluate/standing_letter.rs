//! `medmcqa` and its kin: the first option that stands alone as a letter.
//!
//! Whether the prompt showed examples changes nothing: one letter is the first and the last of all. A word
//! such as "A" at the start of a sentence counts as an option, as in the original.

use std::collections::{HashMap, hash_map::Entry};

use serde_json::{Value, json};

use super::{
    EvaluateError, Evaluator, Row, Scores,
    acc_with_details::are_equal,
    by_row::{Asked, Grade, graded},
};
use crate::{
    dataset::Sample,
    postprocess::{FirstOption, Postprocessor, PythonRegex},
};

/// Phrases with letters that are no options.
const NO_OPTIONS: &[&str] = &["I understand", "A through J", "A through E", "A through D"];

/// What the original does where no letter is found in `medxpertqa` and `sciknoweval`.
const NO_LETTER: &str = "an answer without an option counts as wrong; OpenCompass takes the first of no letters, fails and has no figure";

/// `medmcqa`.
pub(super) fn medmcqa(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let grade = grade(asked)?;
    columns(asked, grade, &["subject_name", "topic_name", "choice_type"])
}

/// `nejmaibench`.
pub(super) fn nejm(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let grade = grade(asked)?;
    columns(asked, grade, &["Subject"])
}

/// `medbullets`.
pub(super) fn medbullets(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let grade = grade(asked)?;
    columns(asked, grade, &["question_type"])
}

/// `medxpertqa`.
pub(super) fn medxpertqa(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let letter = letter_of_list(asked)?;
    let grade = compared(asked, letter.as_deref());
    Ok(if letter.is_none() { grade.departing(NO_LETTER) } else { grade })
}

/// `sciknoweval`, whose rows name their labels.
pub(super) fn sciknoweval(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let labels = asked.column("choices")?.get("label").and_then(Value::as_array);
    let labels = labels.ok_or_else(|| {
        asked.wrong("choices", "a record with a list called label", &asked.row.reference)
    })?;
    let labels: Vec<&str> = labels.iter().filter_map(Value::as_str).collect();
    let letter = standing(asked, asked.prediction()?, &labels.join("|"), "answerKey")?;
    let grade = compared(asked, letter.as_deref());
    Ok(if letter.is_none() { grade.departing(NO_LETTER) } else { grade })
}

fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    Ok(compared(asked, letter_of_list(asked)?.as_deref()))
}

/// The comparison; where there is no letter its detail has an empty list, as the original's.
fn compared(asked: &Asked<'_>, letter: Option<&str>) -> Grade {
    let prediction = letter.map_or_else(|| json!([]), Value::from);
    let is_correct = are_equal(&prediction, &asked.row.reference);
    Grade::compared(prediction, asked.row.reference.clone(), is_correct)
}

fn columns(
    asked: &Asked<'_>,
    grade: Grade,
    names: &[&'static str],
) -> Result<Grade, EvaluateError> {
    names.iter().try_fold(grade, |grade, name| Ok(grade.with(name, asked.column(name)?.clone())))
}

fn letter_of_list(asked: &Asked<'_>) -> Result<Option<String>, EvaluateError> {
    let options = asked.list_column("options")?.len();
    let letters: Vec<String> = letters(options).map(String::from).collect();
    let mut text = asked.prediction()?.to_owned();
    for phrase in NO_OPTIONS {
        text = text.replace(phrase, "");
    }
    standing(asked, &text, &letters.join("|"), "label")
}

/// A, B, C, … for so many options.
fn letters(options: usize) -> impl Iterator<Item = char> {
    (0_u32..).take(options).filter_map(|place| char::from_u32(u32::from('A') + place))
}

/// The first of the options that is a word of its own. `label` is the column of the gold: where that is one
/// letter the row has to say how it was asked.
fn standing(
    asked: &Asked<'_>,
    text: &str,
    options: &str,
    label: &'static str,
) -> Result<Option<String>, EvaluateError> {
    let pattern = PythonRegex::new(&format!(r"\b({options})\b"));
    let pattern = pattern.map_err(|error| asked.failed(error))?;
    let Some(first) = pattern.first(text).map_err(|error| asked.failed(error))? else {
        return Ok(None);
    };
    let is_one = match asked.column(label)? {
        Value::String(label) => label.chars().count() == 1,
        Value::Array(labels) => labels.len() == 1,
        _ => false,
    };
    let mode = asked.text_column("prompt_mode")?;
    if is_one && !matches!(mode, "zero-shot" | "few-shot") {
        let found = Value::from(mode);
        return Err(asked.wrong("prompt_mode", "zero-shot or few-shot", &found));
    }
    Ok(Some(first.to_owned()))
}

/// `proteinlmbench`: the option that the phrasings of `first_option` find.
pub(super) struct ProteinLmBench;

impl Evaluator for ProteinLmBench {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        // A rule is half a hundred patterns, and rows have few different numbers of options.
        let mut rules: HashMap<usize, FirstOption> = HashMap::new();
        graded(["proteinlmbench", "accuracy"], rows, |asked| {
            let options = asked.list_column("options")?.len();
            let rule = match rules.entry(options) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let letters: String = letters(options).collect();
                    let rule = FirstOption::new(&letters, true);
                    new.insert(rule.map_err(|error| asked.failed(error))?)
                }
            };
            let prediction = rule
                .process(asked.prediction()?, &Sample::default())
                .map_err(|error| asked.failed(error))?;
            let is_correct = are_equal(&prediction, &asked.row.reference);
            Ok(Grade::compared(prediction, asked.row.reference.clone(), is_correct))
        })
    }
}
