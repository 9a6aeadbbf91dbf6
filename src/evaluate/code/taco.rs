//! `TACOEvaluator` and `APPSEvaluator`: programs of contests, each run on all of its inputs.

use serde_json::{Map, Value, json};

use super::{Programs, column, ended, harness, pass_at_k::Tasks, texts};
use crate::{
    evaluate::{EvaluateError, Evaluator, Results, Row, Scores},
    postprocess::PythonRegex,
    python::python_str,
    sandbox::{Ended, Program},
};

/// pass@k of programs, several answers to a problem being rows of one name.
pub(in crate::evaluate) struct Taco;

const NAME: &str = "taco";

/// The time of an input.
const SECONDS: u64 = 4;

/// The time of all inputs together.
const TOTAL_SECONDS: u64 = 11;

const KS: [usize; 3] = [1, 10, 100];

/// The first block of code, without the line that names its language.
fn code(text: &str, row: usize) -> Result<String, EvaluateError> {
    let wrong = |error: crate::postprocess::PatternError| EvaluateError::Normalization {
        row,
        source: Box::new(error.into()),
    };
    if !text.contains("```") {
        return Ok(text.to_owned());
    }
    let blocks = PythonRegex::dotall("```(.*?)```").map_err(wrong)?;
    Ok(match blocks.first(text).map_err(wrong)? {
        None => text.split("```").nth(1).unwrap_or_default().to_owned(),
        Some(block) if block.starts_with('\n') => block.to_owned(),
        Some(block) => block.split_once('\n').map_or(block, |(_, rest)| rest).to_owned(),
    })
}

impl Evaluator for Taco {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        self.results(rows).map(|results| results.scores)
    }

    fn results(&self, rows: &[Row<'_>]) -> Result<Results, EvaluateError> {
        let programs = self.programs(rows)?;
        let mut tasks = Tasks::default();
        for (row, how) in rows.iter().zip(ended(rows, &programs)?) {
            let are_right = how.iter().map(Ended::is_passed).collect();
            tasks.add(&python_str(&row.reference), are_right);
        }
        let metrics = tasks.metrics("", &KS);
        let detail: Map<String, Value> =
            tasks.possible(&KS).map(|k| (format!("pass@{k}"), tasks.chances(k).into())).collect();
        let beside = Map::from_iter([("detail".to_owned(), detail.into())]);
        Ok(Results { scores: Scores { metrics, samples: tasks.len(), details: None }, beside })
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn needed_modules(&self) -> &'static [&'static str] {
        &["numpy"]
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let cases = column(row, index, NAME, "input_output")?;
            let program = |text: &str| -> Result<Program, EvaluateError> {
                let job = json!({
                    "style": "taco",
                    "code": code(text, index)?,
                    "cases": cases,
                    "seconds": SECONDS,
                    "total_seconds": TOTAL_SECONDS,
                });
                Ok(harness::program(harness::CONTEST, &job, TOTAL_SECONDS as f64))
            };
            texts(row, index, NAME)?.into_iter().map(program).collect()
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}
