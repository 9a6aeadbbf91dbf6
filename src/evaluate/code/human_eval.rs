//! `HumanEvalEvaluator`: the body of a function, run with the task's tests.
//!
//! Its `metric` is of OpenCompass 0.2.5, where the class is `HumanEvaluator`: release 0.5.4 has the field in two configs
//! and no longer in the class.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, json};

use super::{Ks, Plus, Programs, column, ended, pass_at_k::Tasks, texts};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Evaluator, Row, Scores},
    python::python_str,
    sandbox::{Ended, Program},
};

/// pass@k of functions, each with the time that the task's authors gave it.
pub(in crate::evaluate) struct HumanEval {
    ks: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    k: Option<Ks>,
    metric: Option<String>,
    problems: Option<PathBuf>,
}

const SECONDS: f64 = 3.0;

/// Programs cannot end before their tests do.
const IMPORTS: &str = "import builtins\nbuiltins.exit = builtins.quit = None\ndel builtins\n";

const NAME: &str = "human_eval";

impl HumanEval {
    /// Reads `k` and `metric`, and `problems` where it is of `EvalPlus`.
    ///
    /// # Errors
    ///
    /// Another `metric` than the two, and `problems` where nothing reads them. `k` does not reach `EvalPlus`, which has
    /// its own.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { k, metric, problems } = component.read()?;
        let wrong = |message: String, hint: &str| {
            Err(ConfigError::at(&component.origin, message).with_hint(hint))
        };
        match metric.as_deref() {
            None | Some("HumanEval") if problems.is_some() => {
                wrong("problems are those of EvalPlus".to_owned(), "write metric='EvalPlus'")
            }
            None | Some("HumanEval") => Ok(Box::new(Self { ks: Ks::or_default(k) })),
            Some("EvalPlus") => Ok(Box::new(Plus::all_answers(problems))),
            Some(other) => wrong(format!("metric is {other:?}"), "write HumanEval or EvalPlus"),
        }
    }
}

impl Evaluator for HumanEval {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let programs = self.programs(rows)?;
        let mut tasks = Tasks::default();
        let mut details = Vec::new();
        for (index, (row, how)) in rows.iter().zip(ended(rows, &programs)?).enumerate() {
            let (task, prompt) = (python_str(&row.reference), column(row, index, NAME, "prompt")?);
            for (text, how) in texts(row, index, NAME)?.into_iter().zip(how) {
                let result = match how {
                    Ended::Passed => "passed".to_owned(),
                    Ended::TimedOut => "timed out".to_owned(),
                    Ended::Wrong(why) | Ended::Failed(why) => format!("failed: {why}"),
                };
                details.push(Map::from_iter([
                    ("task_id".to_owned(), row.reference.clone()),
                    ("completion".to_owned(), json!(text)),
                    ("result".to_owned(), json!(result)),
                    ("passed".to_owned(), json!(how.is_passed())),
                    ("is_correct".to_owned(), json!(how.is_passed())),
                    ("prompt".to_owned(), json!(prompt)),
                ]));
            }
            tasks.add(&task, how.iter().map(Ended::is_passed).collect());
        }
        let metrics = tasks.metrics("humaneval_", &self.ks);
        Ok(Scores { metrics, samples: tasks.len(), details: Some(details) })
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn reads_lists(&self) -> bool {
        true
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let [prompt, test, entry] =
                ["prompt", "test", "entry_point"].map(|name| column(row, index, NAME, name));
            let (prompt, test, entry) = (prompt?, test?, entry?);
            let program = |text: &str| {
                let source = format!("{prompt}{text}\n{test}\ncheck({entry})");
                Program { imports: IMPORTS.to_owned(), ..Program::new(&source, "", SECONDS) }
            };
            Ok(texts(row, index, NAME)?.into_iter().map(program).collect())
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Node;

    #[test]
    fn a_metric_is_one_of_two_and_tasks_of_evalplus_are_read_by_it_alone() {
        let build = |entry: serde_json::Value| {
            HumanEval::build(&Component::parse(&Node::from_json(&entry)).unwrap())
                .map(|_| ())
                .map_err(|error| error.to_string())
        };
        let class = "HumanEvalEvaluator";
        assert_eq!(build(json!({"type": class, "metric": "HumanEval", "k": 1})), Ok(()));
        let plus = json!({"type": class, "metric": "EvalPlus", "k": [1, 2], "problems": "x.jsonl"});
        assert_eq!(build(plus), Ok(()));
        for (entry, word) in [
            (json!({"type": class, "metric": "Other"}), "Other"),
            (json!({"type": class, "problems": "x.jsonl"}), "problems"),
        ] {
            let why = build(entry).unwrap_err();
            assert!(why.contains(word), "{why}");
        }
    }
}
