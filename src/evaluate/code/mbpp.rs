//! `MBPPEvaluator` and its kin: a program, run with a task's assertions.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Ks, Programs, ended,
    mbpp_answer::{self, Answer},
    pass_at_k::Tasks,
    plus::Plus,
    texts,
};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Evaluator, Metric, Results, Row, Scores},
    python::python_str,
    sandbox::{Ended, Program},
};

/// Runs a program with the assertions of its task.
pub(in crate::evaluate) struct Mbpp {
    /// How the program is taken out of an answer.
    answer: Answer,
    /// Of how many answers one has to be right; without it, each answer counts.
    ks: Option<Vec<usize>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    metric: Option<String>,
    problems: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PassParams {
    k: Option<Ks>,
}

const SECONDS: f64 = 9.0;

const NAME: &str = "mbpp";

/// How programs end, in OpenCompass's words and order.
pub(super) const WORDS: [&str; 4] = ["pass", "timeout", "failed", "wrong_answer"];

/// How a program ended, in one of them.
pub(super) fn word(ended: &Ended) -> &'static str {
    match ended {
        Ended::Passed => "pass",
        Ended::TimedOut => "timeout",
        Ended::Failed(_) => "failed",
        Ended::Wrong(_) => "wrong_answer",
    }
}

impl Mbpp {
    /// `MBPPEvaluator`; reads `metric`, and `problems` where it is of `EvalPlus`.
    pub(in crate::evaluate) fn first(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        Self::with_answer(component, mbpp_answer::first)
    }

    /// `MBPPEvaluator2`.
    pub(in crate::evaluate) fn second(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        Self::with_answer(component, mbpp_answer::second)
    }

    /// `MBPPPassKEvaluator`; reads `k`.
    pub(in crate::evaluate) fn pass_at_k(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let PassParams { k } = component.read()?;
        Ok(Box::new(Self { answer: mbpp_answer::first, ks: Some(Ks::or_default(k)) }))
    }

    fn with_answer(
        component: &Component,
        answer: Answer,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { metric, problems } = component.read()?;
        match metric.as_deref() {
            None | Some("MBPP") => Ok(Box::new(Self { answer, ks: None })),
            Some("MBPPPlus") => Ok(Box::new(Plus::mbpp(answer, problems))),
            Some(other) => {
                let error = ConfigError::at(&component.origin, format!("metric is {other:?}"));
                Err(error.with_hint("write metric='MBPP' or metric='MBPPPlus'"))
            }
        }
    }

    /// The assertions of a row's task.
    fn tests(&self, row: &Row<'_>, index: usize) -> Result<String, EvaluateError> {
        let found = match self.ks {
            None => Some(&row.reference),
            Some(_) => row.reference.get("test_list_2"),
        };
        found.and_then(Value::as_str).map(str::to_owned).ok_or_else(|| EvaluateError::WrongKind {
            row: index,
            evaluator: NAME,
            what: "the reference",
            expected: if self.ks.is_some() {
                "a dict with test_list_2 and task_id"
            } else {
                "assertions as text"
            },
            found: row.reference.to_string(),
        })
    }

    fn program(&self, text: &str, row: usize) -> Result<String, EvaluateError> {
        (self.answer)(text)
            .map_err(|error| EvaluateError::Normalization { row, source: Box::new(error.into()) })
    }
}

impl Evaluator for Mbpp {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        self.results(rows).map(|results| results.scores)
    }

    fn results(&self, rows: &[Row<'_>]) -> Result<Results, EvaluateError> {
        let programs = self.programs(rows)?;
        let ended = ended(rows, &programs)?;
        let counts = WORDS.map(|own| {
            let count =
                ended.iter().flat_map(|own| own.iter()).filter(|how| word(how) == own).count();
            (own.to_owned(), json!(count))
        });
        let beside = Map::from_iter(counts);
        if let Some(ks) = &self.ks {
            let mut tasks = Tasks::default();
            for (row, how) in rows.iter().zip(&ended) {
                let task = row.reference.get("task_id").map(python_str).unwrap_or_default();
                tasks.add(&task, how.iter().map(Ended::is_passed).collect());
            }
            let metrics = tasks.metrics("", ks);
            let scores = Scores { metrics, samples: tasks.len(), details: None };
            return Ok(Results { scores, beside });
        }
        let are_right: Vec<bool> =
            ended.iter().map(|own| own.iter().all(Ended::is_passed)).collect();
        let detail = |((row, own), how): ((&Row<'_>, &Vec<Program>), &&[Ended])| {
            let program = own.first().map(|own| json!([own.source, own.tests]));
            Map::from_iter([
                ("origin".to_owned(), row.prediction.clone()),
                ("programs".to_owned(), program.unwrap_or_default()),
                ("result".to_owned(), json!(how.first().map(word))),
                ("is_correct".to_owned(), json!(how.first().is_some_and(Ended::is_passed))),
            ])
        };
        let details = rows.iter().zip(&programs).zip(&ended).map(detail).collect();
        let metrics = vec![Metric::of_shares("score", &are_right)];
        Ok(Results {
            scores: Scores { metrics, samples: rows.len(), details: Some(details) },
            beside,
        })
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn reads_lists(&self) -> bool {
        self.ks.is_some()
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let tests = self.tests(row, index)?;
            let program = |text: &str| -> Result<Program, EvaluateError> {
                let source = self.program(text, index)?;
                Ok(Program { is_type_aware: true, ..Program::new(&source, &tests, SECONDS) })
            };
            texts(row, index, NAME)?.into_iter().map(program).collect()
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}
