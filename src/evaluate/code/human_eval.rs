//! `HumanEvalEvaluator`: the body of a function, run with the task's tests.

use serde::Deserialize;
use serde_json::{Map, json};

use super::{Ks, Programs, column, ended, pass_at_k::Tasks, texts};
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
}

const SECONDS: f64 = 3.0;

/// Programs cannot end before their tests do.
const IMPORTS: &str = "import builtins\nbuiltins.exit = builtins.quit = None\ndel builtins\n";

const NAME: &str = "human_eval";

impl HumanEval {
    /// Reads `k`.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { k } = component.read()?;
        Ok(Box::new(Self { ks: Ks::or_default(k) }))
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
