//! Whether a label is the gold of a kept sample, as its metric takes it.

use serde_json::Value;

use super::{evaluation::UnitEvaluation, kept_sample::KeptSample};
use crate::{
    evaluate::Unit,
    infer::Outcome,
    python::python_str,
    warn::{Kind, SampleRanges, WarningCount},
};

impl UnitEvaluation<'_> {
    /// Whether a label is what the metric takes for right; nothing without a gold.
    pub(crate) fn is_gold(&self, kept: &KeptSample, label: &Value) -> Option<bool> {
        if self.facts.is_task() {
            return is_option_of_task(kept.record.gold.as_ref()?, label);
        }
        let row = self.row(kept, &serde_json::json!({ "prediction": label })).ok()?;
        if row.reference.is_null() {
            return None;
        }
        let is_same = python_str(&row.prediction) == python_str(&row.reference);
        let Some(evaluator) = self.plan.evaluator.as_deref() else { return Some(is_same) };
        let accepted = evaluator.accepts(&row.prediction, &row.reference).or_else(|| {
            let scores = evaluator.evaluate(&[row]).ok()?;
            let share = scores.metrics.first().filter(|metric| metric.unit == Unit::Percent)?;
            share.scores.first().map(|score| *score > 0.5)
        });
        Some(accepted.unwrap_or(is_same))
    }

    /// Warns of golds that no candidate is. A run finds them before it asks.
    pub(crate) fn unreachable_golds(&self, samples: &[KeptSample]) -> Option<WarningCount> {
        self.plan.evaluator.as_ref()?;
        if self.facts.is_task() {
            return None;
        }
        let is_unreachable = |kept: &&KeptSample| match &kept.record.outcome {
            Outcome::Ranked { candidates, .. } => {
                candidates.iter().all(|one| self.is_gold(kept, &one.label) == Some(false))
            }
            _ => false,
        };
        let found: Vec<&KeptSample> = samples.iter().filter(is_unreachable).collect();
        let first = found.first()?;
        let gold = first.record.gold.as_ref().map(python_str).unwrap_or_default();
        let kind = Kind::UnreachableGold;
        Some(WarningCount {
            kind,
            severity: kind.severity(),
            dataset: self.facts.dataset.clone(),
            model: self.facts.model.clone(),
            count: found.len(),
            of: samples.len(),
            first_sample: first.record.id,
            samples: SampleRanges::new(found.iter().map(|kept| kept.record.id).collect()),
            field: None,
            message: format!("no candidate is the gold answer {gold:?}; it counts as wrong"),
        })
    }
}

/// Options of a task are known by their numbers; a target that is none says nothing of them.
fn is_option_of_task(gold: &Value, label: &Value) -> Option<bool> {
    match gold {
        Value::Number(_) => Some(gold == label),
        Value::Array(golds) if !golds.is_empty() && golds.iter().all(Value::is_number) => {
            Some(golds.contains(label))
        }
        _ => None,
    }
}
