//! `BigCodeBenchEvaluator`: code that calls libraries, run with its task's unit tests.
//!
//! The original sends the code to a service; here the tests run in the sandbox, with the libraries of the user's Python.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Programs, column, ended, harness, texts};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Evaluator, Row, Scores},
    python::python_literal,
    sandbox::{Ended, Program},
};

/// pass@1 of code with unit tests.
pub(in crate::evaluate) struct BigCodeBench {
    /// Whether answers go on with the prompt's code.
    goes_on: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    eval_type: Option<String>,
    // What follows is about the service, or says again which data set it is.
    #[serde(rename = "release_version")]
    _release: Option<String>,
    #[serde(rename = "dataset_version")]
    _version: Option<String>,
    #[serde(rename = "path")]
    _path: Option<String>,
    #[serde(rename = "local_mode")]
    _local: Option<bool>,
    #[serde(rename = "remote_execute_api")]
    _service: Option<String>,
    #[serde(rename = "headers")]
    _headers: Option<Value>,
    #[serde(rename = "pass_k")]
    _ks: Option<String>,
    #[serde(rename = "parallel")]
    _parallel: Option<i64>,
    #[serde(rename = "min_time_limit")]
    _least_seconds: Option<f64>,
    #[serde(rename = "max_as_limit")]
    _memory: Option<f64>,
    #[serde(rename = "max_data_limit")]
    _data: Option<f64>,
    #[serde(rename = "max_stack_limit")]
    _stack: Option<f64>,
    #[serde(rename = "check_gt_only")]
    _checks_solutions: Option<bool>,
    #[serde(rename = "no_gt")]
    _no_solutions: Option<bool>,
}

const NAME: &str = "big_code_bench";

/// The time of all tests of a task.
const SECONDS: u64 = 241;

/// What may be spent on finding the code in an answer.
const EXTRACTION_SECONDS: f64 = 20.0;

impl BigCodeBench {
    /// Reads `eval_type`.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let params: Params = component.read()?;
        let goes_on = match params.eval_type.as_deref() {
            None | Some("instruct") => false,
            Some("complete") => true,
            Some(other) => {
                let message = format!("eval_type is {other:?}");
                let error = ConfigError::at(&component.origin, message);
                return Err(error.with_hint("write instruct or complete"));
            }
        };
        Ok(Box::new(Self { goes_on }))
    }
}

/// The libraries that a task says it needs: a list as Python writes it, or a list.
fn libraries(row: &Row<'_>) -> Vec<Value> {
    let named = row.sample.and_then(|sample| sample.get("libs"));
    let read = named.and_then(Value::as_str).and_then(python_literal);
    match read.as_ref().or(named) {
        Some(Value::Array(names)) => names.clone(),
        _ => Vec::new(),
    }
}

impl Evaluator for BigCodeBench {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let programs = self.programs(rows)?;
        let ended = ended(rows, &programs)?;
        harness::all_there(&ended)?;
        let are_right: Vec<bool> =
            ended.iter().map(|how| how.iter().all(Ended::is_passed)).collect();
        let detail = |(index, how): (usize, &&[Ended])| -> Result<_, EvaluateError> {
            let task =
                rows.get(index).map(|row| column(row, index, NAME, "task_id")).transpose()?;
            let status = match how.first() {
                Some(Ended::Passed) => "pass",
                Some(Ended::TimedOut) => "timeout",
                _ => "fail",
            };
            let is_right = how.iter().all(Ended::is_passed);
            Ok(Map::from_iter([
                ("task_id".to_owned(), json!(task)),
                ("status".to_owned(), json!(status)),
                ("correct".to_owned(), json!(is_right)),
            ]))
        };
        let details = ended.iter().enumerate().map(detail).collect::<Result<_, _>>()?;
        Ok(Scores::share("pass@1", &are_right).with_details(details))
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let own = |name| column(row, index, NAME, name);
            let begun = if self.goes_on { own("complete_prompt")? } else { "" };
            let before = format!("{}\n    pass\n", own("code_prompt")?);
            let (entry, tests) = (own("entry_point")?, own("test")?);
            let program = |text: &str| {
                let job = json!({
                    "text": format!("{begun}{text}"),
                    "entry": entry,
                    "before": before,
                    "tests": tests,
                    "libraries": libraries(row),
                    "seconds": SECONDS,
                });
                let seconds = SECONDS as f64 + EXTRACTION_SECONDS;
                let program = harness::program(harness::UNIT_TESTS, &job, seconds);
                Program { memory_bytes: harness::LARGE_MEMORY_BYTES, ..program }
            };
            Ok(texts(row, index, NAME)?.into_iter().map(program).collect())
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}
