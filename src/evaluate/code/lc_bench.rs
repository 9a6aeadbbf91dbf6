//! `LCPassKEvaluator`: programs of contests, right if one of an answer's blocks passes the assertions.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Ks, Programs, ended, lc_answer,
    mbpp::{WORDS, word},
    pass_at_k::Tasks,
    texts,
};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Evaluator, Results, Row, Scores},
    postprocess::PatternError,
    python::python_str,
    sandbox::{Ended, Program},
};

/// pass@k of answers with any number of blocks of code.
pub(in crate::evaluate) struct LcBench {
    ks: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    k: Option<Ks>,
}

const SECONDS: f64 = 29.0;

const NAME: &str = "lc_pass_k";

impl LcBench {
    /// Reads `k`.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { k } = component.read()?;
        Ok(Box::new(Self { ks: Ks::or_default(k) }))
    }
}

/// The programs of each answer of a row.
fn answers(row: &Row<'_>, index: usize) -> Result<Vec<Vec<Program>>, EvaluateError> {
    let wrong = |error: PatternError| EvaluateError::Normalization {
        row: index,
        source: Box::new(error.into()),
    };
    let tests = row.reference.get("test_list_2").and_then(Value::as_str);
    let tests = tests.ok_or_else(|| EvaluateError::WrongKind {
        row: index,
        evaluator: NAME,
        what: "the reference",
        expected: "a dict with test_list_2 and task_id",
        found: row.reference.to_string(),
    })?;
    let program = |code: &String| -> Result<Program, PatternError> {
        let tests = lc_answer::tests(tests, code)?;
        Ok(Program { is_type_aware: true, ..Program::new(code, &tests, SECONDS) })
    };
    let of_text = |text: &str| -> Result<Vec<Program>, PatternError> {
        lc_answer::blocks(text)?.iter().map(program).collect()
    };
    texts(row, index, NAME)?.into_iter().map(|text| of_text(text).map_err(wrong)).collect()
}

impl Evaluator for LcBench {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        self.results(rows).map(|results| results.scores)
    }

    fn results(&self, rows: &[Row<'_>]) -> Result<Results, EvaluateError> {
        let programs = self.programs(rows)?;
        let (mut tasks, mut details) = (Tasks::default(), Vec::new());
        let mut counts = WORDS.map(|own| (own, 0));
        for (index, (row, how)) in rows.iter().zip(ended(rows, &programs)?).enumerate() {
            let mut how = how.iter();
            let mut words = Vec::new();
            for answer in answers(row, index)? {
                let own: Vec<&Ended> = how.by_ref().take(answer.len()).collect();
                let is_right = own.iter().any(|how| how.is_passed());
                let first = own.first().map_or("failed", |how| word(how));
                words.push(if is_right { "pass" } else { first });
            }
            for (own, count) in &mut counts {
                *count += words.iter().filter(|word| *word == own).count();
            }
            let task = row.reference.get("task_id").cloned().unwrap_or_default();
            let are_right: Vec<bool> = words.iter().map(|word| *word == "pass").collect();
            details.push(Map::from_iter([
                ("task_id".to_owned(), task.clone()),
                ("result".to_owned(), json!(words)),
                ("is_correct".to_owned(), json!(are_right.iter().all(|is_right| *is_right))),
            ]));
            tasks.add(&python_str(&task), are_right);
        }
        let metrics = tasks.metrics("", &self.ks);
        let scores = Scores { metrics, samples: tasks.len(), details: Some(details) };
        let beside = counts.map(|(word, count)| (word.to_owned(), json!(count)));
        Ok(Results { scores, beside: Map::from_iter(beside) })
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn reads_lists(&self) -> bool {
        true
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| answers(row, index).map(|all| all.concat());
        rows.iter().enumerate().map(of_row).collect()
    }
}
