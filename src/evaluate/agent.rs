//! `math_agent`, `gsm8k_agent`: answers of models that may run code on their way, and how far the code leads.
//!
//! An answer is right by itself, or by code that was run; where it is wrong, the result of the last run may be right.

use crate::python::is_truthy;
use serde::Deserialize;
use serde_json::Value;

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores, Unit,
    acc_with_details::are_equal,
    by_row::Asked,
    gsm8k::are_near,
    latex_equality::{Version, are_equivalent},
};
use crate::{
    config::{Component, ConfigError},
    postprocess::PatternError,
    statistics::Mean,
};

/// The action that runs code.
const CODE: &str = "PythonInterpreter";

/// The parameters of `MATHAgentEvaluator`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MathParameters {
    action: Option<String>,
    #[serde(default)]
    version: Version,
}

/// The parameters of `Gsm8kAgentEvaluator`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NumberParameters {
    action: Option<String>,
}

/// How an answer, or the result of code, is compared.
enum Comparison {
    Formulas(Version),
    Numbers,
}

/// Grades answers and code.
pub(super) struct Agent {
    name: &'static str,
    action: String,
    comparison: Comparison,
}

/// How many answers are of each kind.
#[derive(Default)]
struct Counts {
    right_alone: f64,
    right_with_code: f64,
    wrong_with_code: f64,
    code_that_runs: f64,
    code_that_is_right: f64,
}

impl Agent {
    /// Reads `action`, the type of the steps that run code, and `version` of the comparison of formulas.
    pub(super) fn math(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let MathParameters { action, version } = component.read()?;
        let action = action.unwrap_or_else(|| CODE.to_owned());
        Ok(Box::new(Self { name: "math_agent", action, comparison: Comparison::Formulas(version) }))
    }

    /// Reads `action`, the type of the steps that run code.
    pub(super) fn gsm8k(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let NumberParameters { action } = component.read()?;
        let action = action.unwrap_or_else(|| CODE.to_owned());
        Ok(Box::new(Self { name: "gsm8k_agent", action, comparison: Comparison::Numbers }))
    }

    fn accepts_answer(&self, prediction: &Value, answer: &Value) -> Result<bool, PatternError> {
        Ok(match self.comparison {
            Comparison::Formulas(version) => {
                are_equal(prediction, answer) || are_equivalent(prediction, answer, version)?
            }
            Comparison::Numbers => are_equal(prediction, answer) || are_near(prediction, answer),
        })
    }

    fn accepts_result(&self, result: &Value, answer: &Value) -> Result<bool, PatternError> {
        match self.comparison {
            Comparison::Formulas(_) => self.accepts_answer(result, answer),
            Comparison::Numbers => Ok(are_near(result, answer)),
        }
    }
}

impl Evaluator for Agent {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut counts = Counts::default();
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, self.name);
            let Some(steps) = row.steps.as_array() else {
                return Err(asked.wrong(
                    "what was done on the way (steps)",
                    "the steps of an agent",
                    &row.steps,
                ));
            };
            let code = steps.iter().rev().find(|step| step["type"] == self.action.as_str());
            let is_right = self
                .accepts_answer(&row.prediction, &row.reference)
                .map_err(|error| asked.failed(error))?;
            match (is_right, code) {
                (true, None) => counts.right_alone += 1.0,
                (true, Some(_)) => counts.right_with_code += 1.0,
                (false, None) => {}
                (false, Some(code)) => {
                    counts.wrong_with_code += 1.0;
                    if is_truthy(&code["errmsg"]) {
                        continue;
                    }
                    counts.code_that_runs += 1.0;
                    let result = &code["result"]["text"];
                    let is_right = self.accepts_result(result, &row.reference);
                    if is_right.map_err(|error| asked.failed(error))? {
                        counts.code_that_is_right += 1.0;
                    }
                }
            }
        }
        let samples = rows.len() as f64;
        let Counts {
            right_alone,
            right_with_code,
            wrong_with_code,
            code_that_runs,
            code_that_is_right,
        } = counts;
        let with_code = wrong_with_code + right_with_code;
        let out_of = match self.comparison {
            Comparison::Formulas(_) => with_code,
            Comparison::Numbers => samples,
        };
        let metric = |name: &str, count: f64, of: f64| {
            let mean = Mean { value: 100.0 * count / of, standard_error: None };
            Metric::from_mean(name, mean, Unit::Percent)
        };
        let metrics = vec![
            metric("follow_acc", right_alone + right_with_code, samples),
            metric("reasoning_acc", code_that_is_right + right_with_code + right_alone, samples),
            // Of formulas it is the share of the code, of numbers that of all answers; without any code there is none.
            metric("code_acc", code_that_runs + right_with_code, out_of),
            metric("action_pct", with_code, samples),
        ];
        Ok(Scores { metrics, samples: rows.len(), details: None })
    }
}
