//! `CRUXEvalOEvaluator`: a model says what a program gives, and an assertion shows whether it does.

use serde::Deserialize;
use serde_json::{Map, json};

use super::{Programs, column, ended};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Evaluator, Row, Scores},
    python::python_str,
    sandbox::{Ended, Program},
};

/// Share of rows with an answer that is what the program gives.
pub(in crate::evaluate) struct CruxEval {
    seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    timeout: Option<u32>,
}

const NAME: &str = "cruxeval_o";

const SECONDS: u32 = 3;

impl CruxEval {
    /// Reads `timeout`.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { timeout } = component.read()?;
        Ok(Box::new(Self { seconds: timeout.unwrap_or(SECONDS).into() }))
    }
}

impl Evaluator for CruxEval {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let programs = self.programs(rows)?;
        let (mut are_right, mut details) = (Vec::new(), Vec::new());
        for (index, (row, how)) in rows.iter().zip(ended(rows, &programs)?).enumerate() {
            let is_right = how.iter().any(Ended::is_passed);
            let id = row.sample.and_then(|sample| sample.get("id")).cloned();
            are_right.push(is_right);
            details.push(Map::from_iter([
                ("id".to_owned(), id.unwrap_or_else(|| json!(index))),
                ("prediction".to_owned(), row.prediction.clone()),
                ("reference".to_owned(), column(row, index, NAME, "output")?.into()),
                ("is_correct".to_owned(), json!(is_right)),
            ]));
        }
        Ok(Scores::share("CRUXEval-O", &are_right).with_details(details))
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let [code, input, output] =
                ["code", "input", "output"].map(|name| column(row, index, NAME, name));
            let (code, call, output) = (code?, format!("f({})", input?), output?);
            let answers = row.prediction.as_array().map_or_else(
                || vec![python_str(&row.prediction)],
                |all| all.iter().map(python_str).collect(),
            );
            // An answer that repeats the call says nothing.
            let answers = answers.iter().filter(|answer| !answer.contains(&call));
            let program = |answer: &String| {
                Program::new(&format!("{code}\nassert {output} == {answer}"), "", self.seconds)
            };
            Ok(answers.map(program).collect())
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}
