//! `HumanEvalPlusEvaluator`, `HumanEvalEvaluator` with `metric='EvalPlus'`, and `MBPPEvaluator` with `metric='MBPPPlus'`:
//! functions on the inputs of `EvalPlus`.
//!
//! The tasks with their many inputs are not in the data sets: they are read from the user's copy of `EvalPlus`'s file.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Programs, column, ended, harness,
    mbpp_answer::{self, Answer},
    pass_at_k::Tasks,
    texts,
};
use crate::{
    config::{Component, ConfigError},
    dataset::{PlusSet, PlusTasks},
    evaluate::{EvaluateError, Evaluator, Metric, Row, Scores},
    python::python_str,
    sandbox::{Ended, Program},
};

/// pass@k of functions, each run on the inputs of its task and on many more.
pub(in crate::evaluate) struct Plus {
    set: PlusSet,
    counted: Counted,
    /// How a function is taken out of an answer to a task of MBPP.
    answer: Answer,
    /// The file of the tasks, if it is named.
    problems: Option<PathBuf>,
}

/// Which answers to a task count, and which release of `EvalPlus` says whether they are right.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// The first one, by release 0.3.1: OpenCompass 0.5.4.
    First,
    /// All, by release 0.2.0, which takes a list for a tuple where floats are close: OpenCompass 0.2.5.
    All,
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

/// The k of pass@k where all answers count. `EvalPlus` 0.2 is not told any others.
const KS: [usize; 3] = [1, 10, 100];

/// What both groups of inputs may take: a minute each, and the task's own solution beside.
const SECONDS: f64 = 180.0;

impl Plus {
    /// `HumanEvalPlusEvaluator`; reads `problems`.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { problems, .. } = component.read()?;
        Ok(Box::new(Self::human_eval(Counted::First, problems)))
    }

    /// `HumanEvalEvaluator` with `metric='EvalPlus'`.
    pub(super) fn all_answers(problems: Option<PathBuf>) -> Self {
        Self::human_eval(Counted::All, problems)
    }

    fn human_eval(counted: Counted, problems: Option<PathBuf>) -> Self {
        Self { set: PlusSet::HumanEval, counted, answer: mbpp_answer::first, problems }
    }

    /// `MBPPEvaluator` with `metric='MBPPPlus'`.
    pub(super) fn mbpp(answer: Answer, problems: Option<PathBuf>) -> Self {
        Self { set: PlusSet::Mbpp, counted: Counted::First, answer, problems }
    }

    fn is_right(&self, [base, plus]: &[String; 2]) -> bool {
        plus == "pass" && (self.set == PlusSet::Mbpp || base == "pass")
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
        let mut tasks = Tasks::default();
        let (mut are_first_right, mut details) = (Vec::<bool>::new(), Vec::new());
        for (index, (row, how)) in rows.iter().zip(ended(rows, &programs)?).enumerate() {
            let counted: Vec<(Value, [String; 2])> = match self.counted {
                Counted::First => {
                    let first = how.first().map_or_else(Default::default, outcomes);
                    vec![(row.prediction.clone(), first)]
                }
                Counted::All => {
                    let texts = texts(row, index, NAME)?;
                    texts.into_iter().map(Value::from).zip(how.iter().map(outcomes)).collect()
                }
            };
            let are_right: Vec<bool> = counted.iter().map(|(_, how)| self.is_right(how)).collect();
            let is_mbpp = self.set == PlusSet::Mbpp;
            let prompt = if is_mbpp { "" } else { column(row, index, NAME, "prompt")? };
            for ((prediction, [base, plus]), is_right) in counted.into_iter().zip(&are_right) {
                details.push(Map::from_iter([
                    ("prompt".to_owned(), json!(prompt)),
                    ("prediction".to_owned(), prediction),
                    ("reference".to_owned(), row.reference.clone()),
                    ("base_result".to_owned(), json!(base)),
                    ("plus_result".to_owned(), json!(plus)),
                    ("is_correct".to_owned(), json!(is_right)),
                ]));
            }
            are_first_right.extend(are_right.first());
            tasks.add(&python_str(&row.reference), are_right);
        }
        let (metrics, samples) = match (self.counted, self.set) {
            (Counted::All, _) => (tasks.metrics("humaneval_plus_", &KS), tasks.len()),
            (Counted::First, set) => {
                let name = match set {
                    PlusSet::HumanEval => "humaneval_plus_pass@1",
                    PlusSet::Mbpp => "mbpp_plus_pass@1",
                };
                (vec![Metric::of_shares(name, &are_first_right)], rows.len())
            }
        };
        Ok(Scores { metrics, samples, details: Some(details) })
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn reads_lists(&self) -> bool {
        self.counted == Counted::All
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
                let is_lenient = self.counted == Counted::All;
                let job = json!({
                    "code": code, "problem": problem, "is_mbpp": is_mbpp, "is_lenient": is_lenient,
                });
                Ok(harness::program(harness::PLUS, &job, SECONDS))
            };
            texts(row, index, NAME)?.into_iter().map(program).collect()
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}
