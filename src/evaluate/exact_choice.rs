//! Choices that are right when they equal the gold, each in the manner of its benchmark.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    EvaluateError, Evaluator,
    acc_with_details::are_equal,
    by_row::{Asked, ByRow, Grade},
};
use crate::{
    config::{Component, ConfigError},
    postprocess::{PatternError, PythonRegex},
    python::{blank::strip, parse_integer, python_str, split_lines},
};

/// `gpqa`, `agieval_mcq`: equal by value.
pub(super) fn equal(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, answer) = (&asked.row.prediction, &asked.row.reference);
    let is_correct = are_equal(prediction, answer);
    Ok(Grade::compared(prediction.clone(), answer.clone(), is_correct))
}

/// `mmlu_pro_base`: the first line is the letter or the words of the gold `A. words`. A gold with another
/// full stop in it is never met, as in the original.
pub(super) fn letter_or_words(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let prediction = strip(asked.prediction()?.split('\n').next().unwrap_or_default());
    let is_letter = matches!(prediction.as_bytes(), [b'A'..=b'P']);
    let parts: Vec<&str> =
        asked.row.reference.as_str().map(|gold| gold.split(". ").collect()).unwrap_or_default();
    let is_correct = match parts[..] {
        [letter, words] => is_letter && letter == prediction || strip(words) == prediction,
        _ => false,
    };
    Ok(Grade::compared(prediction, asked.row.reference.clone(), is_correct))
}

/// Parameters of `MusrEvaluator`, of which the original uses none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MusrParameters {
    #[serde(default, rename = "answer_index_modifier")]
    _answer_index_modifier: i64,
    #[serde(default, rename = "self_consistency_n")]
    _self_consistency_n: i64,
}

/// `musr` with the parameters that configs give it.
pub(super) fn musr_with_parameters(
    component: &Component,
) -> Result<Box<dyn Evaluator>, ConfigError> {
    component.read::<MusrParameters>()?;
    Ok(Box::new(ByRow::new("musr", musr).called("accuracy")))
}

/// `musr`: the first number behind the last `ANSWER:` of the first line that has one.
fn musr(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\d+"));
    let line = asked.prediction()?.split('\n').find(|line| line.contains("ANSWER:"));
    let answer = line.and_then(|line| line.rsplit("ANSWER:").next()).unwrap_or_default();
    let number = NUMBER.first(answer).map_err(|error| asked.failed(error))?;
    let number = number.and_then(parse_integer).and_then(|digits| digits.parse::<f64>().ok());
    let is_correct = number.is_some_and(|number| are_equal(&json!(number), &asked.row.reference));
    Ok(Grade::of(is_correct))
}

/// `zebralogic_mc`: the letter that a solution of a logic puzzle settles on.
pub(super) fn zebra_logic(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let text = python_str(&asked.row.prediction);
    let extracted = zebra_letter(&text).map_err(|error| asked.failed(error))?;
    let is_correct = extracted == python_str(&asked.row.reference).to_uppercase();
    Ok(Grade::of(is_correct).noted([
        ("pred", asked.row.prediction.clone()),
        ("extracted", extracted.into()),
        ("answer", asked.row.reference.clone()),
        ("correct", is_correct.into()),
    ]))
}

fn zebra_letter(text: &str) -> Result<String, PatternError> {
    static INTRODUCED: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(r"[Tt]he (?:final )?answer is[:\s]+\(?([A-Ja-j])\)?")
    });
    static BOLD: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\*\*([A-Ja-j])\*\*"));
    static OWN_LINE: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"^\s*\(?([A-Ja-j])\)?\s*$"));
    static BRACKETED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\(([A-Ja-j])\)"));
    for pattern in [&INTRODUCED, &BOLD] {
        if let Some(letter) = pattern.first(text)? {
            return Ok(letter.to_uppercase());
        }
    }
    for line in strip(text).split('\n').rev() {
        if let Some(letter) = OWN_LINE.first(strip(line))? {
            return Ok(letter.to_uppercase());
        }
    }
    Ok(BRACKETED.last(text)?.map(str::to_uppercase).unwrap_or_default())
}

/// `elbench_choice`: the same set of letters, behind a mark or alone on the last line.
pub(super) fn letter_set(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let chosen = match &asked.row.prediction {
        Value::Null => String::new(),
        _ => chosen_letters(asked.prediction()?).map_err(|error| asked.failed(error))?,
    };
    let gold = sorted_letters(&python_str(&asked.row.reference));
    let is_correct = chosen == gold && !gold.is_empty();
    Ok(Grade::compared(chosen, gold, is_correct))
}

fn chosen_letters(text: &str) -> Result<String, PatternError> {
    static MARK: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(r"(?i)(?:ANSWER|答案|最终答案)\s*[:：是为]?\s*(.+)")
    });
    static ALONE: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?<![A-Za-z])([A-Ja-j])(?![A-Za-z])"));
    static OTHER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"[^\sA-J,，、.。()\[\]:：和与]"));
    if let Some(behind) = MARK.first(text)? {
        let letters = sorted_letters(&ALONE.all(behind)?.concat());
        if !letters.is_empty() {
            return Ok(letters);
        }
    }
    let last = split_lines(text).into_iter().map(strip).rfind(|line| !line.is_empty());
    let last = last.unwrap_or_default().to_uppercase();
    Ok(if OTHER.finds(&last)? { String::new() } else { sorted_letters(&last) })
}

/// The letters A to J of a text, in any case, each once and in their order.
fn sorted_letters(text: &str) -> String {
    let text = text.to_uppercase();
    ('A'..='J').filter(|letter| text.contains(*letter)).collect()
}

/// `acc_score_str`: the gold stands in the prediction, in any case.
pub(super) fn contained(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let plain = |text: &str| strip(text).to_lowercase();
    let is_correct = plain(asked.prediction()?).contains(&plain(asked.reference()?));
    Ok(Grade::of(is_correct).noted([
        ("pred", asked.row.prediction.clone()),
        ("answer", asked.row.reference.clone()),
        ("correct", u8::from(is_correct).into()),
    ]))
}
