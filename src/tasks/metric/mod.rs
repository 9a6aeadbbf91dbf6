//! Metrics: what an answer to one document is worth, as lm-eval 0.4.13 measures it.
//!
//! What is measured depends on what was asked: a likelihood, a whole document's, the likeliest of several options, or a
//! text. Most names stand for one value among those; only `exact_match` of a text has settings. A value need not be a
//! number: BLEU of a corpus is made of pairs of texts, so a pair is what a document's `bleu` is. A task may measure all by
//! a function of its own, `process_results`, or have metrics that are functions.

mod choice;
mod exact_match;
mod generated;
mod likelihood;
mod planned;
mod registry;

use indexmap::IndexMap;

use super::{OutputType, field::Row, value::TaskValue};

pub(super) use self::planned::Metrics;
pub use self::registry::{METRICS, MetricDefaults};

/// What a document's answer is worth, by metric.
pub type Measured = IndexMap<String, TaskValue>;

/// What a document's answer is compared with.
pub(super) struct Gold {
    /// The target, or the number of the question where the options are questions.
    pub(super) target: TaskValue,
    pub(super) choices: Option<Vec<String>>,
    /// Whether the first document has several targets, so that all have.
    pub(super) has_several_targets: bool,
}

/// Figures that a metric gives under names of their own, with the metric's.
pub(super) type Expanded = IndexMap<String, String>;

impl Metrics {
    /// What the task's own function makes of the filtered answers to a document's requests; nothing without one. What it
    /// writes into the document stays there.
    pub(super) fn processed(
        &self,
        document: &mut Row,
        answers: &[TaskValue],
    ) -> Result<Option<Measured>, String> {
        let Some(process) = &self.process else { return Ok(None) };
        match process.process(document, answers)? {
            TaskValue::Mapping(measured) => Ok(Some(measured)),
            other => Err(format!("{} gives no dict: {}", process.name(), other.python_repr())),
        }
    }

    /// What the filtered answers to a document's requests are worth.
    pub(super) fn measured(
        &self,
        output_type: OutputType,
        gold: &Gold,
        answers: &[TaskValue],
        expanded: &mut Expanded,
    ) -> Result<Measured, String> {
        let mut measured = match output_type {
            OutputType::Loglikelihood => likelihood::of_target(answers)?,
            OutputType::LoglikelihoodRolling => likelihood::of_document(&gold.target, answers)?,
            OutputType::MultipleChoice => {
                choice::measured(gold, answers, self.has("acc_mutual_info"))?
            }
            OutputType::GenerateUntil => {
                return generated::measured(&self.by_name, gold, answers, expanded);
            }
        };
        measured.retain(|name, _| self.has(name));
        Ok(measured)
    }
}
