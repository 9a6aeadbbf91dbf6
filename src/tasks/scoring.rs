//! From a task's answers to what each document is worth, and to the task's figures.
//!
//! A [`Scoring`] is what a task file says of filters and metrics, understood before anything is asked, so that what
//! cannot be scored is refused first. It sees requests and answers alone: who answered, and how, is nothing to it.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::{
    OutputType, Request, RequestOptions, TaskError, TaskPlan, TaskRows,
    aggregation::{Aggregation, PlannedAggregation},
    asking::Asking,
    field::Row,
    filter::{Pipeline, pipelines},
    function::Functions,
    json::to_json,
    metric::{Expanded, Gold, Metrics},
    response::Response,
    scored::{ScoredSample, ScoredTask, TaskFigure},
    value::TaskValue,
};
use crate::config::functions::FunctionFiles;

/// So many resamples lm-eval draws for standard errors that have no formula.
pub const RESAMPLES: usize = 100_000;

/// What was asked for a task, and what a model answered.
#[derive(Clone, Copy)]
pub struct Answered<'a> {
    /// The rows that the task is about.
    pub rows: &'a TaskRows<'a>,
    /// All requests, as [`TaskPlan::requests`] makes them.
    pub requests: &'a [Request],
    /// The answers to each of them, as many as the task repeats it.
    pub responses: &'a [Vec<Response>],
}

/// How answers are scored, whatever the task.
#[derive(Clone, Copy, Debug)]
pub struct ScoreOptions {
    /// How many examples were asked for; the task's own number where none was.
    pub shots: Option<usize>,
    /// How many resamples a standard error is made of that has no formula; without any there are no errors at all.
    pub resamples: usize,
    /// How many documents the split has, where not all were asked.
    pub documents: Option<usize>,
}

impl Default for ScoreOptions {
    fn default() -> Self {
        Self { shots: None, resamples: RESAMPLES, documents: None }
    }
}

/// What a task file says of filters and metrics.
pub struct Scoring<'a> {
    plan: &'a TaskPlan,
    pipelines: IndexMap<String, Pipeline>,
    metrics: Metrics,
}

impl TaskPlan {
    /// Understands the filters and metrics; functions of Python that they name are looked for among these files.
    ///
    /// # Errors
    ///
    /// Where one is not known, or is a function of Python, or has settings that it does not know.
    pub fn scoring(&self, functions: Option<&FunctionFiles>) -> Result<Scoring<'_>, TaskError> {
        let functions = Functions(functions);
        let metrics = Metrics::of(self, functions)?;
        let pipelines = pipelines(&self.name, self.filters.as_deref(), functions)?;
        Ok(Scoring { plan: self, pipelines, metrics })
    }
}

impl Scoring<'_> {
    /// What a reader of the task file may not expect of its figures.
    pub fn notes(&self) -> &[String] {
        &self.metrics.notes
    }

    /// Scores all answers.
    ///
    /// # Errors
    ///
    /// Where lm-eval stops: a filter or a metric that can make nothing of an answer or of a target, values that cannot be
    /// aggregated; where there are fewer answers than requests.
    pub fn scored(
        &self,
        answered: &Answered<'_>,
        options: &ScoreOptions,
    ) -> Result<ScoredTask, TaskError> {
        let plan = self.plan;
        let mut expanded = Expanded::new();
        let samples = self.samples(answered, &mut expanded)?;
        let planned = |name: &str| {
            let own = expanded.get(name).map_or(name, String::as_str);
            self.metrics.by_name.get(name).or_else(|| self.metrics.by_name.get(own))
        };
        let mut notes = self.metrics.notes.clone();
        let mut values: IndexMap<(&str, &str), Vec<TaskValue>> = IndexMap::new();
        for sample in &samples {
            for (metric, value) in &sample.measured {
                values.entry((metric, &sample.filter)).or_default().push(value.clone());
            }
        }
        let mut figures = Vec::with_capacity(values.len());
        for ((metric, filter), values) in values {
            let wrong = |what: String| TaskError::task(&plan.name, format!("{metric}: {what}"));
            let mean = PlannedAggregation::Known(Aggregation::Mean);
            let aggregation = planned(metric).map(|planned| &planned.aggregation);
            if aggregation.is_none() {
                notes.push(format!("{metric} has no aggregation in the file: its mean is taken"));
            }
            let figure = aggregation.unwrap_or(&mean).figure(metric, &values, options.resamples);
            let (value, standard_error) = figure.map_err(wrong)?;
            figures.push(TaskFigure {
                metric: metric.to_owned(),
                filter: filter.to_owned(),
                value,
                standard_error,
                documents: values.len(),
            });
        }
        let version = plan.metadata.get("version").map(TaskValue::from);
        let names = self.metrics.by_name.keys().chain(expanded.keys());
        let higher =
            names.filter_map(|name| Some((name.clone(), planned(name)?.higher_is_better.clone())));
        Ok(ScoredTask {
            name: plan.name.clone(),
            alias: plan.alias.clone().unwrap_or_else(|| plan.name.clone()),
            version: version.unwrap_or_else(|| "Yaml".into()),
            shots: plan.shots(options.shots),
            higher_is_better: higher.collect(),
            scored: figures.iter().map(|figure| figure.documents).max().unwrap_or_default(),
            documents: options.documents.unwrap_or(answered.rows.documents.len()),
            samples,
            figures,
            notes,
        })
    }

    /// Every document behind every filter.
    fn samples(
        &self,
        answered: &Answered<'_>,
        expanded: &mut Expanded,
    ) -> Result<Vec<ScoredSample>, TaskError> {
        let plan = self.plan;
        let wrong = |what: String| TaskError::task(&plan.name, what);
        let Answered { rows, requests, responses } = answered;
        let Some(first) = rows.documents.first() else {
            return Err(wrong("there is no document to score".to_owned()));
        };
        if requests.len() != responses.len() {
            let what = format!("{} requests have {} answers", requests.len(), responses.len());
            return Err(wrong(what));
        }
        let options = RequestOptions::default();
        let asking = Asking::new(plan, first, &options)?;
        let mut tried = first.clone();
        asking.own_question(&mut tried)?;
        let has_several_targets =
            asking.own_target(&mut tried)?.as_array().is_some_and(|targets| !targets.is_empty());
        let row = |request: &Request| {
            let what = || format!("there is no document {}", request.document);
            rows.documents.get(request.document).ok_or_else(|| wrong(what()))
        };
        let mut asked: IndexMap<usize, Cow<'_, Row>> = IndexMap::new();
        for request in *requests {
            if !asked.contains_key(&request.document) {
                asked.insert(request.document, asking.asked_document(row(request)?)?);
            }
        }
        let documents: Vec<&Row> = requests
            .iter()
            .filter_map(|request| asked.get(&request.document).map(|row| &**row))
            .collect();
        let mut by_document: IndexMap<usize, Vec<usize>> = IndexMap::new();
        for (place, request) in requests.iter().enumerate() {
            by_document.entry(request.document).or_default().push(place);
        }
        let answers: Vec<TaskValue> = responses
            .iter()
            .map(|responses| TaskValue::List(responses.iter().map(TaskValue::from).collect()))
            .collect();
        let mut samples = Vec::with_capacity(self.pipelines.len() * by_document.len());
        for (filter, pipeline) in &self.pipelines {
            let filtered = pipeline.apply(answers.clone(), &documents);
            let filtered = filtered.map_err(|what| wrong(format!("filter '{filter}': {what}")))?;
            for (document, places) in &by_document {
                let row = rows.documents.get(*document).unwrap_or(first);
                let hashed = asked.get(document).map_or(row, |asked| &**asked);
                let own = places.iter().filter_map(|place| filtered.get(*place).cloned());
                let own: Vec<TaskValue> = own.collect();
                let failed =
                    |what: String| wrong(format!("document {document}, filter '{filter}': {what}"));
                // The original reads the document anew here; functions see what was written since, in its order.
                let mut left = row.clone();
                let processed = self.metrics.processed(&mut left, &own).map_err(failed)?;
                let measured = if let Some(measured) = processed {
                    measured
                } else {
                    let gold = gold(&asking, plan, &mut left)?;
                    let gold = Gold { has_several_targets, ..gold };
                    let measured = self.metrics.measured(plan.output_type, &gold, &own, expanded);
                    measured.map_err(failed)?
                };
                let target = TaskValue::from(&asking.own_target(&mut left)?);
                let prompt = places.first().and_then(|place| requests.get(*place));
                let prompt = prompt.map(|request| request.arguments.first_text());
                samples.push(ScoredSample {
                    document: *document,
                    changed: (left != *row).then_some(left),
                    filter: filter.clone(),
                    document_hash: hash(&to_json(&TaskValue::from(hashed), Some(2))),
                    prompt_hash: hash(prompt.unwrap_or_default()),
                    target_hash: hash(&target.python_str()),
                    target,
                    filtered: own,
                    measured,
                });
            }
        }
        Ok(samples)
    }
}

/// What a document's answer is compared with, its fields called as often and in the order that lm-eval calls them.
pub(super) fn gold(asking: &Asking<'_>, plan: &TaskPlan, row: &mut Row) -> Result<Gold, TaskError> {
    let (target, choices) = match plan.output_type {
        OutputType::Loglikelihood => (Json::Null, None),
        OutputType::LoglikelihoodRolling => {
            asking.leave_target(row)?;
            (asking.own_target(row)?, None)
        }
        OutputType::MultipleChoice => {
            let choices = asking.own_choices(row)?;
            let target = if asking.has_several_questions {
                asking.own_question(row)?
            } else {
                asking.own_target(row)?
            };
            (target, choices)
        }
        OutputType::GenerateUntil => {
            let target = asking.own_target(row)?;
            (target, asking.own_choices(row)?)
        }
    };
    Ok(Gold { target: TaskValue::from(&target), choices, has_several_targets: false })
}

/// SHA-256 in hexadecimal digits.
pub(super) fn hash(text: &str) -> String {
    hash_of(text.as_bytes())
}

/// The same of bytes.
pub(super) fn hash_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut digits, byte| {
        for half in [byte >> 4, byte & 15] {
            digits.extend(char::from_digit(half.into(), 16));
        }
        digits
    })
}
