//! `HumanEvalPlusEvaluator`, and `MBPPEvaluator` with `metric='MBPPPlus'`: functions on the inputs of `EvalPlus`.
//!
//! The tasks with their many inputs are not in the data sets: they are read from the user's copy of `EvalPlus`'s file.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, json};

use super::{
    Programs, column, ended, harness,
    mbpp_answer::{self, Answer},
    texts,
};
use crate::{
    config::{Component, ConfigError},
    dataset::{PlusSet, PlusTasks},
    evaluate::{EvaluateError, Evaluator, Metric, Row, Scores},
    python::python_str,
    sandbox::{Ended, Program},
};

/// pass@1 of functions, each run on the inputs of its task and on many more.
pub(in crate::evaluate) struct Plus {
    set: PlusSet,
    /// How a function is taken out of an answer to a task of MBPP.
    answer: Answer,
    /// The file of the tasks, if it is named.
    problems: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    // One answer of a task counts, whatever `k` says.
    #[serde(rename = "k")]
    _ks: Option<super::Ks>,
    problems: Option<PathBuf>,
}

const NAME: &str = "human_eval_plus";

/// What both groups of inputs may take: a minute each, and the task's own solution beside.
const SECONDS: f64 = 180.0;

impl Plus {
    /// `HumanEvalPlusEvaluator`; reads `problems`.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { problems, .. } = component.read()?;
        Ok(Box::new(Self { set: PlusSet::HumanEval, answer: mbpp_answer::first, problems }))
    }

    /// `MBPPEvaluator` with `metric='MBPPPlus'`.
    pub(super) fn mbpp(answer: Answer, problems: Option<PathBuf>) -> Self {
        Self { set: PlusSet::Mbpp, answer, problems }
    }
}

/// How a function did on the task's inputs and on the others.
fn outcomes(how: &Ended) -> [String; 2] {
    let same = |word: &str| [word, word].map(str::to_owned);
    match how {
        Ended::Passed => same("pass"),
        Ended::TimedOut => same("timeout"),
        Ended::Wrong(why) => serde_json::from_str(why).unwrap_or_else(|_| same("fail")),
        Ended::Failed(_) => same("fail"),
    }
}

impl Evaluator for Plus {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let programs = self.programs(rows)?;
        let (mut are_right, mut details) = (Vec::new(), Vec::new());
        for (index, (row, how)) in rows.iter().zip(ended(rows, &programs)?).enumerate() {
            // The first answer of a task counts.
            let [base, plus] = how.first().map_or_else(Default::default, outcomes);
            let is_mbpp = self.set == PlusSet::Mbpp;
            let is_right = plus == "pass" && (is_mbpp || base == "pass");
            are_right.push(is_right);
            let prompt = if is_mbpp { "" } else { column(row, index, NAME, "prompt")? };
            details.push(Map::from_iter([
                ("prompt".to_owned(), json!(prompt)),
                ("prediction".to_owned(), row.prediction.clone()),
                ("reference".to_owned(), row.reference.clone()),
                ("base_result".to_owned(), json!(base)),
                ("plus_result".to_owned(), json!(plus)),
                ("is_correct".to_owned(), json!(is_right)),
            ]));
        }
        let name = match self.set {
            PlusSet::HumanEval => "humaneval_plus_pass@1",
            PlusSet::Mbpp => "mbpp_plus_pass@1",
        };
        let metrics = vec![Metric::of_shares(name, &are_right)];
        Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn needed_modules(&self) -> &'static [&'static str] {
        &["numpy"]
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let tasks = PlusTasks::read(self.set, self.problems.as_deref());
        let tasks = tasks.map_err(|error| EvaluateError::NoTasks { why: error.to_string() })?;
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let task = python_str(&row.reference);
            let problem = tasks.get(&task).ok_or_else(|| EvaluateError::NoTasks {
                why: format!("{} has no task {task}, which row {index} answers", tasks.place()),
            })?;
            let program = |text: &str| -> Result<Program, EvaluateError> {
                let code = match self.set {
                    PlusSet::HumanEval => format!("{}{text}", column(row, index, NAME, "prompt")?),
                    PlusSet::Mbpp => (self.answer)(text).map_err(|error| {
                        EvaluateError::Normalization { row: index, source: Box::new(error.into()) }
                    })?,
                };
                let is_mbpp = self.set == PlusSet::Mbpp;
                let job = json!({"code": code, "problem": problem, "is_mbpp": is_mbpp});
                Ok(harness::program(harness::PLUS, &job, SECONDS))
            };
            texts(row, index, NAME)?.into_iter().map(program).collect()
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}
