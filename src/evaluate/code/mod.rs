//! Evaluators that run what a model wrote.
//!
//! Like those that ask a judge they do nothing themselves: they say which programs are to be run, and score the rows once
//! it is known how each ended. Where programs are run, and whether, is `sandbox`'s and the user's business.

mod code_execution;
mod human_eval;
mod mbpp;
mod mbpp_answer;
mod pass_at_k;
mod test_output;

use serde_json::Value;

pub(super) use self::{
    code_execution::CodeExecution, human_eval::HumanEval, mbpp::Mbpp, test_output::TestOutput,
};
use super::{EvaluateError, Row};
use crate::sandbox::{Ended, Program};

/// The programs of all rows, in order: as many for each row as it has predictions.
pub type Programs = Vec<Vec<Program>>;

/// The predictions of a row: several where a model answered more than once.
fn texts<'r>(
    row: &'r Row<'_>,
    index: usize,
    evaluator: &'static str,
) -> Result<Vec<&'r str>, EvaluateError> {
    let all =
        row.prediction.as_array().map_or_else(|| vec![&row.prediction], |all| all.iter().collect());
    let text = |value: &'r Value| {
        value.as_str().ok_or_else(|| EvaluateError::WrongKind {
            row: index,
            evaluator,
            what: "the prediction",
            expected: "text",
            found: value.to_string(),
        })
    };
    all.into_iter().map(text).collect()
}

/// How the programs of all rows ended; an error where they were not run.
fn ended<'r>(
    rows: &'r [Row<'_>],
    programs: &[Vec<Program>],
) -> Result<Vec<&'r [Ended]>, EvaluateError> {
    let of_row = |(index, (row, own)): (usize, (&'r Row<'_>, &Vec<Program>))| {
        if row.ended.len() == own.len() {
            Ok(row.ended.as_slice())
        } else {
            Err(EvaluateError::NotRun { row: index })
        }
    };
    rows.iter().zip(programs).enumerate().map(of_row).collect()
}

/// `k` of a config: a number or several.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(untagged)]
enum Ks {
    One(usize),
    Many(Vec<usize>),
}

impl Ks {
    /// The numbers; OpenCompass's where a config says nothing.
    fn or_default(ks: Option<Self>) -> Vec<usize> {
        match ks {
            None => vec![1, 10, 100],
            Some(Self::One(k)) => vec![k],
            Some(Self::Many(ks)) => ks,
        }
    }
}
