//! `SciCodeEvaluator`: problems of science in steps, each a function that builds on those before it.
//!
//! Tests compare with targets in files of HDF5, one for each step, beside the data set.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Programs, column, ended, harness, texts};
use crate::{
    config::{Component, ConfigError},
    dataset::readable_place,
    evaluate::{EvaluateError, Evaluator, Metric, Row, Scores, Unit},
    postprocess::{PatternError, PythonRegex},
    python::python_str,
    sandbox::{Ended, Program},
    statistics::Mean,
};

/// Shares of problems and of steps that are right.
pub(in crate::evaluate) struct SciCode {
    folder: String,
    config: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    dataset_path: String,
    // The rows have the tests, which are the same with and without it.
    #[serde(rename = "with_bg")]
    _background: bool,
}

const NAME: &str = "sci_code";

const SECONDS: f64 = 120.0;

/// The folder of targets beside the data set.
const TARGETS: &str = "test_data";

/// Steps whose code is given, by problem: answers from this one on are those to the next step.
const GIVEN: [(&str, usize); 3] = [("13", 5), ("62", 0), ("76", 2)];

impl SciCode {
    /// Reads `dataset_path`.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { dataset_path, .. } = component.read()?;
        let config = component.origin.file.to_path_buf();
        Ok(Box::new(Self { folder: dataset_path, config }))
    }

    /// The file of a step's targets.
    fn targets(&self, step: &str) -> Result<PathBuf, EvaluateError> {
        let path = format!("{}/{TARGETS}/{step}.h5", self.folder.trim_end_matches('/'));
        readable_place(&path, &self.config).ok_or_else(|| EvaluateError::NoTasks {
            why: format!(
                "there is no {path}; unpack scicode_test_data.zip of OpenCompass's storage there"
            ),
        })
    }
}

/// The block of Python in an answer, without imports: those of a problem come before all steps.
fn code(answer: &str) -> Result<String, PatternError> {
    let Some((_, rest)) = answer.split_once("```python") else { return Ok(String::new()) };
    let block = rest.split("```").next().unwrap_or_default();
    PythonRegex::new(r"(?m)^\s*(import .*|from .*\s+import\s+.*)")?.replace(block, "")
}

/// The tests of a step.
fn tests(row: &Row<'_>, index: usize, step: usize) -> Result<Vec<Value>, EvaluateError> {
    let all = row.sample.and_then(|sample| sample.get("test"));
    let own = all.and_then(|all| all.get(step)).and_then(Value::as_array);
    own.cloned().ok_or_else(|| EvaluateError::WrongKind {
        row: index,
        evaluator: NAME,
        what: "test",
        expected: "a list of tests for each step",
        found: all.map_or_else(
            || "not there".to_owned(),
            |all| python_str(all).chars().take(200).collect(),
        ),
    })
}

impl Evaluator for SciCode {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let programs = self.programs(rows)?;
        let ended = ended(rows, &programs)?;
        let is_whole = |how: &&[Ended]| (!how.is_empty()).then(|| how.iter().all(Ended::is_passed));
        let are_right: Vec<Option<bool>> = ended.iter().map(is_whole).collect();
        let steps: Vec<bool> = ended.iter().copied().flatten().map(Ended::is_passed).collect();
        let detail = |how: &&[Ended]| {
            let passed: Vec<bool> = how.iter().map(Ended::is_passed).collect();
            let is_right = !passed.is_empty() && passed.iter().all(|passed| *passed);
            Map::from_iter([
                ("steps".to_owned(), json!(passed)),
                ("correct".to_owned(), json!(is_right)),
            ])
        };
        let details = ended.iter().map(detail).collect();
        let metrics = vec![
            Metric::of_part("accuracy", &are_right),
            Metric::from_mean("sub_accuracy", Mean::percent_of(&steps), Unit::Percent),
        ];
        Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn needed_modules(&self) -> &'static [&'static str] {
        &["h5py", "numpy", "scipy", "sympy"]
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let problem = row.sample.and_then(|sample| sample.get("id")).map(python_str);
            let problem = problem.unwrap_or_default();
            let given = GIVEN.iter().find(|(id, _)| *id == problem);
            let mut whole = column(row, index, NAME, "import")?.to_owned();
            let mut programs = Vec::new();
            for (at, answer) in texts(row, index, NAME)?.into_iter().enumerate() {
                let own = code(answer).map_err(|error| EvaluateError::Normalization {
                    row: index,
                    source: Box::new(error.into()),
                })?;
                whole.push_str(&own);
                let step = at + usize::from(given.is_some_and(|(_, first)| at >= *first));
                let name = format!("{problem}.{}", step + 1);
                let targets = self.targets(&name)?;
                let job = json!({
                    "code": whole,
                    "tests": tests(row, index, step)?,
                    "step": name,
                    "targets": targets,
                });
                let program = harness::program(harness::SCIENCE, &job, SECONDS);
                let memory_bytes = harness::LARGE_MEMORY_BYTES;
                programs.push(Program { memory_bytes, readable: vec![targets], ..program });
            }
            Ok(programs)
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}
