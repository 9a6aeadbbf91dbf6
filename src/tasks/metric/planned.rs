//! The metrics of a task, as its file names them.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::{METRICS, choice, exact_match::ExactMatch};
use crate::{
    config::nearest,
    tasks::{
        OutputType, TaskError, TaskPlan,
        aggregation::PlannedAggregation,
        function::{Functions, ScoringFunction, reference},
        value::TaskValue,
    },
};

/// A metric of a task.
pub(in super::super) struct PlannedMetric {
    pub(in super::super) aggregation: PlannedAggregation,
    /// What the file says, else the default: mostly a truth value.
    pub(in super::super) higher_is_better: TaskValue,
    pub(super) kind: Kind,
}

/// How a metric is measured.
pub(super) enum Kind {
    /// A value of its name is among what is measured.
    Named,
    /// A text is compared with another one.
    ExactMatch(ExactMatch),
    /// A function of Python is called, with what else the file says of it.
    Function(ScoringFunction, Map<String, Value>),
}

/// The metrics of a task.
pub(in super::super) struct Metrics {
    pub(in super::super) by_name: IndexMap<String, PlannedMetric>,
    /// What a reader of the file may not expect.
    pub(in super::super) notes: Vec<String>,
    /// The function that measures all, where the task has one.
    pub(super) process: Option<ScoringFunction>,
}

impl Metrics {
    /// Understands the metrics of a task.
    pub(in super::super) fn of(
        plan: &TaskPlan,
        functions: Functions<'_>,
    ) -> Result<Self, TaskError> {
        let wrong =
            |key: &str, what: String| TaskError::task(&plan.name, format!("`{key}`: {what}"));
        let process = plan.functions.iter().find(|(key, _)| key == "process_results");
        let process = process
            .map(|(key, reference)| functions.find(reference).map_err(|what| wrong(key, what)));
        let mut metrics =
            Self { by_name: IndexMap::new(), notes: Vec::new(), process: process.transpose()? };
        let listed = match &plan.metrics {
            Some(listed) => listed.clone(),
            None => defaults(plan.output_type).iter().map(|name| named(name)).collect(),
        };
        for keys in listed {
            let added = metrics.add(plan.output_type, keys, functions);
            added.map_err(|what| wrong("metric_list", what))?;
        }
        Ok(metrics)
    }

    fn add(
        &mut self,
        output_type: OutputType,
        mut keys: Map<String, Value>,
        functions: Functions<'_>,
    ) -> Result<(), String> {
        let metric = keys.shift_remove("metric").unwrap_or_default();
        let function = reference(&metric).map(|reference| functions.find(reference)).transpose()?;
        let name = match (&function, &metric) {
            (Some(function), _) => function.name(),
            (None, Value::String(name)) => name,
            (None, _) => return Err("`metric` is the name of a metric".to_owned()),
        };
        // No alias, no dotted path: lm-eval knows its metrics by these names alone.
        let known = METRICS.registrations.iter().find(|metric| metric.name == name);
        if known.is_none() && function.is_none() && self.process.is_none() {
            let near = nearest(name, METRICS.names());
            let hint = near.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default();
            return Err(format!("the metric '{name}' is not known{hint}"));
        }
        let aggregation = match (keys.shift_remove("aggregation"), known) {
            (Some(given), _) => PlannedAggregation::of(&given, functions)?,
            (None, Some(known)) => PlannedAggregation::Known(known.value.aggregation),
            (None, None) => return Err(format!("the metric {name} has no `aggregation`")),
        };
        let higher_is_better = match (keys.shift_remove("higher_is_better"), known) {
            (Some(given), _) => TaskValue::from(&given),
            (None, Some(known)) => TaskValue::Truth(known.value.higher_is_better),
            (None, None) => TaskValue::None,
        };
        let is_of_evaluate = keys.shift_remove("hf_evaluate") == Some(Value::Bool(true));
        let is_text = output_type == OutputType::GenerateUntil && self.process.is_none();
        // Of the same name and meaning there.
        if is_of_evaluate && is_text && function.is_none() && name != "exact_match" {
            return Err(format!("the metric '{name}' of Hugging Face's evaluate is not known"));
        }
        let name = name.to_owned();
        let kind = match function {
            Some(function) if is_text => Kind::Function(function, keys),
            None if is_text && name == "exact_match" => {
                let odd = keys.iter().filter(|(key, value)| {
                    key.starts_with("ignore_") && !value.is_boolean() && !value.is_null()
                });
                self.notes.extend(odd.map(|(key, value)| {
                    let truth = TaskValue::Truth(TaskValue::from(value).is_true()).python_repr();
                    format!("`{key}` of {name} is no truth value, and taken for {truth}")
                }));
                Kind::ExactMatch(ExactMatch::of(keys).map_err(|what| format!("{name}: {what}"))?)
            }
            _ => {
                let unread = keys.keys().map(|key| format!("`{key}` of {name} is read by nothing"));
                self.notes.extend(unread);
                Kind::Named
            }
        };
        if !is_text && self.process.is_none() && !measured(output_type).contains(&&*name) {
            let what = format!("{} gives no {name}: there will be no figure", output_type.name());
            self.notes.push(what);
        }
        self.by_name.insert(name, PlannedMetric { aggregation, higher_is_better, kind });
        Ok(())
    }

    /// Whether the task names this metric.
    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }
}

fn named(name: &str) -> Map<String, Value> {
    Map::from_iter([("metric".to_owned(), name.into())])
}

/// The metrics of a task that names none.
fn defaults(output_type: OutputType) -> &'static [&'static str] {
    match output_type {
        OutputType::Loglikelihood => &["perplexity", "acc"],
        OutputType::LoglikelihoodRolling => {
            &["word_perplexity", "byte_perplexity", "bits_per_byte"]
        }
        OutputType::MultipleChoice => &["acc", "acc_norm"],
        OutputType::GenerateUntil => &["exact_match"],
    }
}

/// What there is a value of; of texts whatever is asked for.
fn measured(output_type: OutputType) -> &'static [&'static str] {
    match output_type {
        OutputType::Loglikelihood => &["perplexity", "acc"],
        OutputType::LoglikelihoodRolling => {
            &["word_perplexity", "byte_perplexity", "bits_per_byte"]
        }
        OutputType::MultipleChoice => choice::METRICS,
        OutputType::GenerateUntil => &[],
    }
}
