//! Questions with lists of answers, and texts whose last word is asked for.

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Format, Tables, files, one, own, stepped_items},
    file::{Encoding, cell_rows, json_lines, malformed, typed_csv},
    row::{Fields, Flaw, Made, Row, object, row},
    step::Step::{Add, Own},
};
use crate::{
    dataset::{DatasetError, Rows, Sample},
    python::{PythonRandom, python_literal},
};

pub(super) const TRIVIA_QA: ClassForm = own(&["path"], |arguments| {
    Ok(Tables::Splits(vec![
        ("dev".into(), listed(arguments, "{path}/trivia-dev.qa.csv", false)?),
        ("test".into(), listed(arguments, "{path}/trivia-test.qa.csv", true)?),
    ]))
});

pub(super) const NATURAL_QUESTIONS: ClassForm = own(&["path"], |arguments| {
    Ok(Tables::Splits(vec![
        ("dev".into(), listed(arguments, "{path}/nq-dev.qa.csv", true)?),
        ("test".into(), listed(arguments, "{path}/nq-test.qa.csv", false)?),
    ]))
});

pub(super) const TRIVIA_QA_LINES: ClassForm = files(
    &["path"],
    &[("validation", "{path}/triviaqa-validation.jsonl"), ("train", "{path}/triviaqa-train.jsonl")],
    Format::Lines,
    &[],
);

pub(super) const LINES: ClassForm = one(Format::Lines, &[]);

pub(super) const NQ_OPEN: ClassForm = own(&["path"], |arguments| {
    let table = |pattern, steps| {
        let path = arguments.file(pattern)?;
        let items = json_lines(&path, Encoding::Strict)?;
        stepped_items(&items, steps)
    };
    let first = &[Own(|row| row.list("answer").map(drop)), Add("answer", "answer.0")];
    Ok(Tables::Splits(vec![
        ("validation".into(), table("{path}/nq-open-validation.jsonl", &[])?),
        ("train".into(), table("{path}/nq-open-train.jsonl", first)?),
    ]))
});

pub(super) const LAMBADA: ClassForm = files(&["path"], &[("test", "{path}")], Format::Lines, &[]);

pub(super) const SIMPLE_QA: ClassForm =
    own(&["path", "num_examples?", "n_repeats?", "*"], simple_questions);

/// A question and a list of answers in Python's notation, a tab between them; the first answer only, if asked.
fn listed(
    arguments: &Arguments<'_>,
    pattern: &str,
    only_first: bool,
) -> Result<Vec<Row>, DatasetError> {
    let items = cell_rows(&arguments.file(pattern)?, '\t')?;
    let make = |cells: &Value| {
        let [question, answers] = cells.as_array().map_or(&[][..], Vec::as_slice) else {
            return Flaw::new("expected a question, a tab and a list of answers");
        };
        let written = answers.as_str().unwrap_or_default();
        let answers = python_literal(written).ok_or_else(|| {
            Flaw(format!("`{written}` is no list of answers in Python's notation"))
        })?;
        let answers = if only_first { answers.at("0")?.clone() } else { answers };
        Ok(row([("question", question.clone()), ("answer", answers)]))
    };
    items.iter().map(|item| item.make(make)).collect()
}

/// Both splits hold all questions, or so many that are drawn.
fn simple_questions(arguments: &Arguments<'_>) -> Result<Tables, DatasetError> {
    let path = arguments.path("path")?;
    let items = typed_csv(&path)?;
    let mut rows = items
        .iter()
        .map(|item| item.make(|value| object(value).cloned()))
        .collect::<Result<Vec<Row>, _>>()?;
    check_gaps(&rows).map_err(|flaw| malformed(&path.display().to_string(), flaw))?;
    let repeats = arguments.whole("n_repeats", 1)?;
    if let Ok(count @ 1..) = usize::try_from(arguments.whole("num_examples", 0)?) {
        if repeats != 1 {
            return arguments.asked(Flaw::new("n_repeats cannot go with num_examples"));
        }
        let drawn = PythonRandom::from_seed(0).sample(rows.len(), count);
        let drawn =
            drawn.ok_or_else(|| Flaw(format!("num_examples={count} of {} rows", rows.len())));
        rows = arguments.asked(drawn)?.into_iter().map(|row| rows[row].clone()).collect();
    }
    let times = usize::try_from(repeats).unwrap_or(0);
    let rows: Vec<Row> = (0..times).flat_map(|_| rows.iter().cloned()).collect();
    let splits = Tables::Splits(vec![("train".into(), rows.clone()), ("test".into(), rows)]);
    let mut rows = splits.rows(arguments.abbr)?;
    if let Rows::Splits(splits) = &mut rows {
        splits.values_mut().flatten().for_each(name_gaps);
    }
    Ok(Tables::Finished(rows))
}

/// An error if a column of texts has gaps: what pandas leaves empty is a number to Python, which no column of
/// texts can hold.
fn check_gaps(rows: &[Row]) -> Made<()> {
    let cells = || rows.iter().flatten();
    let gap = cells().find(|(name, value)| {
        value.is_null() && cells().any(|(other, value)| other == *name && value.is_string())
    });
    match gap {
        Some((name, _)) => Flaw::new(format!("the column `{name}` holds texts and an empty cell")),
        None => Ok(()),
    }
}

/// Python writes `nan` for what is not there, which no number of JSON says.
fn name_gaps(row: &mut Sample) {
    let gaps = row.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name.to_owned());
    for name in gaps.collect::<Vec<_>>() {
        row.set(&name, "nan".into());
    }
}
