//! `s3eval`: answers about tables, as tables, lists or texts; which of them, the gold says.

use std::collections::BTreeSet;

use super::{
    EvaluateError,
    by_row::{Asked, Grade},
    token_f1::{english_words, f1},
};
use crate::python::{blank::strip, parse_float};

/// F1 of a table's lines, of a list's items, or of words; a number is right or wrong.
pub(super) fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, gold) = (asked.prediction()?, asked.reference()?);
    let share = if gold.contains('|') {
        f1(&lines(prediction), &lines(gold))
    } else if gold.contains(',') {
        f1(&items(prediction), &items(gold))
    } else if let Some((own, gold)) = parse_float(prediction).zip(parse_float(gold)) {
        f64::from(u8::from(own.partial_cmp(&gold).is_some_and(std::cmp::Ordering::is_eq)))
    } else {
        let words = |text| english_words(text).map_err(|error| asked.failed(error));
        f1(&words(prediction)?, &words(gold)?)
    };
    Ok(Grade::share(share))
}

/// The lines of a table below its head, each with its cells.
fn lines(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(strip).collect();
        cells.get(1..cells.len().saturating_sub(1)).unwrap_or_default().join("|")
    };
    text.split('\n').skip(2).filter(|own| !strip(own).is_empty()).map(line).collect()
}

/// What stands between commas, each once.
fn items(text: &str) -> Vec<String> {
    let items: BTreeSet<&str> = text.split(',').map(strip).collect();
    items.into_iter().map(str::to_owned).collect()
}
