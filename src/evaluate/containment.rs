//! Metrics that ask whether accepted answers occur in a prediction.

use serde_json::Value;

use super::{
    EvaluateError,
    by_row::{Asked, Grade},
};
use crate::{
    postprocess::normalized,
    python::{blank::strip, python_str},
};

/// `triviaqa`: any accepted answer in the first line behind its introductions, both normalised. An
/// empty answer occurs everywhere.
pub(super) fn triviaqa(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let line = first_line(asked.prediction()?);
    let answer = ["answer is", "a:", "answer:"]
        .iter()
        .fold(&*line, |line, introduction| line.rsplit(introduction).next().unwrap_or_default());
    contains_any(asked, strip(answer))
}

/// `nq`: any accepted answer in the first line behind the last "answer is", both normalised.
pub(super) fn natural_questions(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let line = first_line(asked.prediction()?);
    contains_any(asked, line.rsplit("answer is").next().unwrap_or_default())
}

/// `nq_cn`: the first line behind the last `答案是：`, normalised, is an accepted answer.
pub(super) fn natural_questions_cn(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let line = asked.prediction()?.split('\n').next().unwrap_or_default().to_lowercase();
    let answer = line.rsplit("答案是：").next().unwrap_or_default();
    let prediction = normalized(answer).map_err(|error| asked.failed(error))?;
    Ok(Grade::of(normalized_references(asked)?.contains(&prediction)))
}

/// `ruler`: the share of the expected words that occur, in any case.
pub(super) fn share_of_words(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (words, found) = found_words(asked)?;
    Ok(Grade::share(found as f64 / words as f64))
}

/// `ruler_qa`: any of the accepted answers occurs, in any case.
pub(super) fn any_word(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    Ok(Grade::of(found_words(asked)?.1 > 0))
}

/// `babilong`: the first accepted answer occurs in the first sentence, before any made-up example.
pub(super) fn babilong(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let answer = match &asked.row.reference {
        Value::Array(answers) => answers.first().map(python_str),
        Value::String(text) => text.chars().next().map(String::from),
        _ => None,
    };
    let answer = answer.ok_or_else(|| asked.unreadable_reference("a list of accepted answers"))?;
    let output = asked.prediction()?.to_lowercase();
    let sentence = [".", "<context>", "<example>"]
        .iter()
        .fold(&*output, |text, end| text.split(end).next().unwrap_or_default());
    Ok(Grade::of(sentence.contains(&answer.to_lowercase())))
}

/// `lambada`: the first word, up to its punctuation, is the last word of the passage.
pub(super) fn lambada(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let word = strip(asked.prediction()?).split(' ').next().unwrap_or_default();
    let word = word.split(|c: char| c.is_ascii_punctuation()).next().unwrap_or_default();
    let normalize = |text: &str| normalized(text).map_err(|error| asked.failed(error));
    Ok(Grade::of(normalize(word)? == normalize(asked.reference()?)?))
}

fn found_words(asked: &Asked<'_>) -> Result<(usize, usize), EvaluateError> {
    let words = asked.some_references()?;
    let prediction = asked.prediction()?.to_lowercase();
    let found = words.iter().filter(|word| prediction.contains(&word.to_lowercase())).count();
    Ok((words.len(), found))
}

fn first_line(prediction: &str) -> String {
    strip(prediction).split('\n').next().unwrap_or_default().to_lowercase()
}

fn contains_any(asked: &Asked<'_>, answer: &str) -> Result<Grade, EvaluateError> {
    let prediction = normalized(answer).map_err(|error| asked.failed(error))?;
    let answers = normalized_references(asked)?;
    let is_correct = answers.iter().any(|answer| prediction.contains(answer.as_str()));
    Ok(Grade::compared(prediction, answers, is_correct))
}

fn normalized_references(asked: &Asked<'_>) -> Result<Vec<String>, EvaluateError> {
    let normalize = |answer: &String| {
        normalized(answer).map(|text| text.to_lowercase()).map_err(|error| asked.failed(error))
    };
    asked.references()?.iter().map(normalize).collect()
}
