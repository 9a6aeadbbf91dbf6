//! `lm_eval_task`: the metrics that a task of lm-evaluation-harness names, as lm-eval measures them.
//!
//! What is asked and answered is read off the records, so that a run is scored again without data or task files. A figure
//! that is a share, which lm-eval writes from 0 to 1, is in percent here, as all shares are; `--format lm-eval` writes
//! lm-eval's own files.

mod task_answers;

use std::{collections::BTreeMap, path::PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

pub use self::task_answers::TaskAnswers;
use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit};
use crate::{
    config::{Component, ConfigError, functions::FunctionFiles},
    tasks::{ScoreOptions, ScoredSample, ScoredTask, TaskFigure, TaskPlan, TaskValue},
};

/// The name of the filter of tasks that name none.
const NO_FILTER: &str = "none";

/// Metrics that are shares.
const SHARES: &[&str] = &[
    "acc",
    "acc_all",
    "acc_bytes",
    "acc_mutual_info",
    "acc_norm",
    "em",
    "exact_match",
    "mc1",
    "mc2",
];

/// The metrics of a task.
struct LmEvalTask {
    plan: TaskPlan,
    shots: Option<usize>,
    functions: FunctionFiles,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    task: Map<String, Value>,
    num_fewshot: Option<usize>,
    /// The folder of task files, where the task names functions.
    folder: Option<PathBuf>,
    /// Their files' SHA-256.
    #[serde(default)]
    functions: BTreeMap<String, String>,
}

/// Reads `dict(type='LmEvalTask', task=dict(…))`; what cannot be scored is refused here, before anything is asked.
pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
    let Params { task, num_fewshot, folder, functions: digests } = component.read()?;
    let wrong =
        |error: crate::tasks::TaskError| ConfigError::at(&component.origin, error.to_string());
    let folder = folder.unwrap_or_default();
    let functions = FunctionFiles::new(&folder);
    let plan = TaskPlan::from_fields(&task, &functions).map_err(wrong)?;
    plan.check_functions(&folder, &digests).map_err(wrong)?;
    plan.scoring(Some(&functions)).map_err(wrong)?;
    Ok(Box::new(LmEvalTask { plan, shots: num_fewshot, functions }))
}

impl LmEvalTask {
    fn scored(&self, rows: &[Row<'_>]) -> Result<ScoredTask, EvaluateError> {
        let options = ScoreOptions { shots: self.shots, ..ScoreOptions::default() };
        let samples = rows.iter().filter_map(|row| row.sample.zip(row.record));
        let answers = TaskAnswers::new(&self.plan, samples);
        let scored = self
            .plan
            .scoring(Some(&self.functions))
            .and_then(|scoring| scoring.scored(&answers.answered(), &options));
        scored.map_err(|error| EvaluateError::Task { what: error.to_string() })
    }
}

impl Evaluator for LmEvalTask {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        if rows.is_empty() {
            return Ok(Scores::new(Vec::new(), 0));
        }
        let ScoredTask { samples, figures, .. } = self.scored(rows)?;
        let metrics = figures.iter().filter_map(|figure| metric(figure, &samples, rows.len()));
        let mut details = vec![Map::new(); rows.len()];
        for sample in &samples {
            let Some(own) = details.get_mut(sample.document) else { continue };
            for (name, value) in &sample.measured {
                own.insert(shown_name(name, &sample.filter), value.to_json());
            }
        }
        Ok(Scores::new(metrics.collect(), rows.len()).with_details(details))
    }

    fn reads_lists(&self) -> bool {
        true
    }
}

/// What a figure is called: lm-eval's `metric,filter`, the usual filter left out.
fn shown_name(metric: &str, filter: &str) -> String {
    if filter == NO_FILTER { metric.to_owned() } else { format!("{metric},{filter}") }
}

/// A figure; nothing if it is no number.
fn metric(figure: &TaskFigure, samples: &[ScoredSample], rows: usize) -> Option<Metric> {
    let value = figure.value.number()?;
    let mut scores = vec![f64::NAN; rows];
    let own = samples.iter().filter(|sample| sample.filter == figure.filter);
    for sample in own {
        let number = sample.measured.get(&figure.metric).and_then(TaskValue::number);
        if let (Some(score), Some(number)) = (scores.get_mut(sample.document), number) {
            *score = number;
        }
    }
    let known: Vec<f64> = scores.iter().copied().filter(|score| !score.is_nan()).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let is_mean = (mean - value).abs() <= 1e-9 * value.abs().max(1.0);
    let is_share = is_mean && SHARES.contains(&figure.metric.as_str());
    let (factor, unit) = if is_share { (100.0, Unit::Percent) } else { (1.0, Unit::Number) };
    Some(Metric {
        name: shown_name(&figure.metric, &figure.filter),
        value: factor * value,
        standard_error: figure.standard_error.map(|error| factor * error),
        unit,
        // Only of a mean the rows say what the figure is made of.
        scores: if is_mean { scores } else { Vec::new() },
        rows: None,
    })
}
