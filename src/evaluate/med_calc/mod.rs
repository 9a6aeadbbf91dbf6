//! `med_calc_official`: what a calculator of medicine gives for a patient, as `MedCalc-Bench`'s own script reads and
//! compares it: dates, weeks with days, points and numbers between limits.

mod given;
mod term;

use serde_json::json;

use self::{
    given::{Given, Kind},
    term::{Value, term},
};
use super::{
    EvaluateError, Evaluator, Row, Scores,
    by_row::{Asked, Grade, graded},
};
use crate::python::parse_float;

/// The columns that a results file repeats, before the answer and behind it.
const BEFORE: [(&str, &str); 7] = [
    ("Row Number", "row_number"),
    ("Calculator Name", "calculator_name"),
    ("Calculator ID", "calculator_id"),
    ("Category", "category"),
    ("Note ID", "note_id"),
    ("Patient Note", "patient_note"),
    ("Question", "question"),
];
const BEHIND: [(&str, &str); 2] = [
    ("Ground Truth Answer", "ground_truth_answer"),
    ("Ground Truth Explanation", "ground_truth_explanation"),
];

/// The share of right answers.
pub(super) struct MedCalc;

impl Evaluator for MedCalc {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        graded(["med_calc_official", "accuracy"], rows, grade)
    }

    fn is_undecided(&self, row: &Row<'_>) -> bool {
        let asked = Asked::new(row, 0, "med_calc_official");
        given(&asked).is_ok_and(|(_, given)| given.is_undecided)
    }
}

fn given(asked: &Asked<'_>) -> Result<(Kind, Given), EvaluateError> {
    let number = whole(asked, "calculator_id")?;
    let kind = Kind::of(number).ok_or_else(|| {
        let known = "a number of a calculator";
        asked.wrong("calculator_id", known, &json!(number))
    })?;
    let given = Given::read(kind, asked.prediction()?).map_err(|error| asked.failed(error))?;
    Ok((kind, given))
}

fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (kind, given) = given(asked)?;
    let gold = asked.text_column("ground_truth_answer")?;
    let verdict = match kind {
        Kind::Date => same_date(&given.answer, gold),
        Kind::Weeks => {
            let pair = |text: &str| given::weeks(text).map_err(|error| asked.failed(error));
            match pair(gold)? {
                Some(meant) => Ok(pair(&given.answer)?.is_some_and(|own| own == meant)),
                None => {
                    return Err(asked.wrong("ground_truth_answer", "weeks and days", &json!(gold)));
                }
            }
        }
        Kind::Whole => number(&given.answer).and_then(|own| {
            // A tie goes to the even number, as in Python; neither side is -0.
            Ok((own.round_ties_even() + 0.0).total_cmp(&(number(gold)? + 0.0)).is_eq())
        }),
        Kind::Decimal => {
            let limit = |name| asked.text_column(name).map(number);
            let (low, high) = (limit("lower_limit")?, limit("upper_limit")?);
            number(&given.answer).and_then(|own| Ok(own >= low? && own <= high?))
        }
    };
    let is_right = matches!(verdict, Ok(true));
    let (answer, explanation) = match verdict {
        Ok(_) => (given.answer, given.explanation),
        // The original writes what went wrong in the place of both.
        Err(what) => (what.clone(), what),
    };
    let mut grade = Grade::of(is_right);
    for (name, column) in BEFORE {
        let value = match column {
            "row_number" => json!(whole(asked, column)?),
            _ => asked.column(column)?.clone(),
        };
        grade = grade.with(name, value);
    }
    grade = grade.with("LLM Answer", answer).with("LLM Explanation", explanation);
    for (name, column) in BEHIND {
        grade = grade.with(name, asked.column(column)?.clone());
    }
    Ok(grade.with("Result", if is_right { "Correct" } else { "Incorrect" }))
}

/// A column as a whole number.
fn whole(asked: &Asked<'_>, column: &'static str) -> Result<i64, EvaluateError> {
    let value = asked.column(column)?;
    let number = match value {
        serde_json::Value::String(text) => text.trim().parse().ok(),
        other => other.as_i64(),
    };
    number.ok_or_else(|| asked.wrong(column, "a whole number", value))
}

/// A number as Python reads it in a program, or what Python says.
fn number(text: &str) -> Result<f64, String> {
    let with_exponent = || parse_float(text).filter(|_| text.contains(['e', 'E']));
    match term(text).map(Value::number).or_else(with_exponent) {
        Some(number) => Ok(number),
        _ if text == given::NONE => Err("name 'N' is not defined".to_owned()),
        _ => Err(format!("{text} is no number")),
    }
}

/// Whether two texts are one day.
fn same_date(own: &str, other: &str) -> Result<bool, String> {
    let date = |text: &str| {
        let mut parts = text.split('/').map(|part| part.parse::<u32>().ok());
        let day = match [parts.next(), parts.next(), parts.next(), parts.next()] {
            [Some(Some(month)), Some(Some(day)), Some(Some(year)), None] => {
                Some((year, month, day))
            }
            _ => None,
        };
        let Some((year, month, day)) = day.filter(|(_, month, _)| (1..=12).contains(month)) else {
            return Err(format!("time data '{text}' does not match format '%m/%d/%Y'"));
        };
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + u32::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if day == 0 || day > days {
            return Err("day is out of range for month".to_owned());
        }
        Ok((year, month, day))
    };
    Ok(date(own)? == date(other)?)
}
