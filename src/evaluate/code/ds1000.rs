//! `DS1000Evaluator` and `DS1000ServiceEvaluator`: code put into a program of data science, run on the data of its problem.
//!
//! What a program wrote is looked at by the problem's own test, both in the sandbox. The second of the original sends
//! answers to a service, which does the same with the code that it takes out of them; here it is done in the sandbox, too.

use std::{borrow::Cow, path::PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Programs, ended, harness, texts};
use crate::{
    config::{Component, ConfigError},
    dataset::readable_place,
    evaluate::{EvaluateError, Evaluator, Metric, Row, Scores, Unit},
    postprocess::ds1000_for_service,
    sandbox::{Ended, Program},
};

/// Share of answers whose results are right.
pub(in crate::evaluate) struct Ds1000 {
    config: PathBuf,
    /// The library that the service is asked about, where one is asked.
    service: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    #[serde(rename = "num_workers")]
    _workers: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServiceParams {
    lib: String,
    // What follows is about the service.
    #[serde(rename = "ip_address")]
    _address: Option<String>,
    #[serde(rename = "port")]
    _port: Option<Value>,
    #[serde(rename = "timeout")]
    _timeout: Option<u64>,
}

const NAME: &str = "ds1000";

const LIBRARIES: [&str; 7] =
    ["Pandas", "Numpy", "Tensorflow", "Scipy", "Sklearn", "Pytorch", "Matplotlib"];

/// The library whose programs draw a figure.
const FIGURES: &str = "Matplotlib";

/// The most letters of an answer that is sent to the service; of a longer one nothing is.
const MOST_LETTERS: usize = 10_000;

/// The time of a program on one set of data, and what its test may take at the end.
const SECONDS: f64 = 60.0;

impl Ds1000 {
    /// `DS1000Evaluator`; nothing is read.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { .. } = component.read()?;
        Ok(Box::new(Self { config: component.origin.file.to_path_buf(), service: None }))
    }

    /// `DS1000ServiceEvaluator`; reads `lib`.
    pub(in crate::evaluate) fn build_service(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let ServiceParams { lib, .. } = component.read()?;
        if !LIBRARIES.contains(&lib.as_str()) {
            let error = ConfigError::at(&component.origin, format!("lib is {lib:?}"));
            return Err(error.with_hint(format!("write one of {}", LIBRARIES.join(", "))));
        }
        Ok(Box::new(Self { config: component.origin.file.to_path_buf(), service: Some(lib) }))
    }

    /// The code that is put into the program.
    fn code<'t>(&self, text: &'t str, index: usize) -> Result<Cow<'t, str>, EvaluateError> {
        let Some(library) = &self.service else { return Ok(text.into()) };
        let sent = if text.chars().count() > MOST_LETTERS { "" } else { text };
        let code = ds1000_for_service(sent, library == FIGURES);
        code.map(Cow::from).map_err(|error| EvaluateError::Normalization {
            row: index,
            source: Box::new(error.into()),
        })
    }

    /// The folder of a problem on this machine.
    fn folder(&self, written: &str) -> Result<PathBuf, EvaluateError> {
        readable_place(written, &self.config).ok_or_else(|| EvaluateError::NoTasks {
            why: format!(
                "there is no {written}; unpack ds1000_data.zip of OpenCompass's storage where the data set's path says"
            ),
        })
    }
}

/// A field of what a row is tested with.
fn field<'r>(row: &'r Row<'_>, index: usize, name: &'static str) -> Result<&'r str, EvaluateError> {
    let found = row.reference.get(name);
    found.and_then(Value::as_str).ok_or_else(|| EvaluateError::WrongKind {
        row: index,
        evaluator: NAME,
        what: name,
        expected: "a text in the column test_column",
        found: found.map_or_else(|| "not there".to_owned(), Value::to_string),
    })
}

/// The same as a whole number.
fn number(row: &Row<'_>, index: usize, name: &'static str) -> Result<i32, EvaluateError> {
    let text = field(row, index, name)?;
    text.trim().parse().map_err(|_| EvaluateError::WrongKind {
        row: index,
        evaluator: NAME,
        what: name,
        expected: "a whole number",
        found: text.to_owned(),
    })
}

impl Evaluator for Ds1000 {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let programs = self.programs(rows)?;
        let ended = ended(rows, &programs)?;
        harness::all_there(&ended)?;
        let are_right: Vec<bool> =
            ended.iter().map(|how| how.iter().all(Ended::is_passed)).collect();
        let shares = || are_right.iter().map(|is_right| f64::from(u8::from(*is_right)));
        let metric = if self.service.is_some() {
            Metric::of_shares("accuracy", &are_right)
        } else {
            Metric::of_numbers("accuracy", Unit::Number, shares().collect())
        };
        let detail = |is_right: &bool| Map::from_iter([("correct".to_owned(), json!(is_right))]);
        let details = are_right.iter().map(detail).collect();
        Ok(Scores::new(vec![metric], rows.len()).with_details(details))
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let folder = self.folder(field(row, index, "problem_path")?)?;
            let context = field(row, index, "code_context")?;
            let cases = number(row, index, "test_case_cnt")?;
            let kind = number(row, index, "test_type")?;
            let program = |text: &str| -> Result<Program, EvaluateError> {
                let code = self.code(text, index)?;
                let job = json!({
                    "folder": folder, "context": context, "code": code, "cases": cases, "kind": kind,
                });
                let seconds = SECONDS * f64::from(cases.max(1).saturating_add(1));
                let program = harness::program(harness::DATA_SCIENCE, &job, seconds);
                let memory_bytes = harness::LARGE_MEMORY_BYTES;
                Ok(Program { memory_bytes, readable: vec![folder.clone()], ..program })
            };
            texts(row, index, NAME)?.into_iter().map(program).collect()
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}
