//! Evaluators that run what a model wrote.
//!
//! Like those that ask a judge they do nothing themselves: they say which programs are to be run, and score the rows once
//! it is known how each ended. Where programs are run, and whether, is `sandbox`'s and the user's business.

mod big_code_bench;
mod code_compass;
mod code_execution;
mod cruxeval;
mod ds1000;
mod harness;
mod human_eval;
mod human_eval_x;
mod human_eval_x_answer;
mod languages;
mod lc_answer;
mod lc_bench;
mod live_code_bench;
mod mbpp;
mod mbpp_answer;
mod multipl_e;
mod pass_at_k;
mod plus;
mod sci_code;
mod taco;
mod test_output;

use serde_json::Value;

pub(super) use self::{
    big_code_bench::BigCodeBench, code_compass::CodeCompass, code_execution::CodeExecution,
    cruxeval::CruxEval, ds1000::Ds1000, human_eval::HumanEval, human_eval_x::HumanEvalX,
    lc_bench::LcBench, live_code_bench::LiveCodeBench, mbpp::Mbpp, multipl_e::MultiplE, plus::Plus,
    sci_code::SciCode, taco::Taco, test_output::TestOutput,
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

/// A column of a row's task, a text; tests are there and not in a library.
fn column<'r>(
    row: &'r Row<'_>,
    index: usize,
    evaluator: &'static str,
    name: &'static str,
) -> Result<&'r str, EvaluateError> {
    let found = row.sample.and_then(|sample| sample.get(name));
    let found = found.ok_or(EvaluateError::NoColumn { row: index, evaluator, column: name })?;
    found.as_str().ok_or_else(|| EvaluateError::WrongKind {
        row: index,
        evaluator,
        what: name,
        expected: "a column of text",
        found: found.to_string(),
    })
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
