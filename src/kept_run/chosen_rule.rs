//! The scoring rule of a unit: what its plan says, with what the rule learnt from the samples, if it learns.
//!
//! It is shared, because predictions are written by another thread while the samples are evaluated.

use std::{ops::Deref, sync::Arc};

use crate::{infer::Choice, plan::EvaluationPlan, score::Rule};

/// A rule that chooses among the candidates of a unit's samples.
pub(crate) struct ChosenRule<'a> {
    plan: &'a EvaluationPlan,
    fitted: Option<Arc<dyn Rule>>,
}

impl<'a> ChosenRule<'a> {
    /// The rule of `plan`, fitted to `choices`.
    pub(super) fn new(plan: &'a EvaluationPlan, choices: &[Choice<'_>]) -> Self {
        Self { plan, fitted: plan.rule.fitted(choices).map(Arc::from) }
    }

    /// The same for as long as `plan`, which is its own, is there.
    pub(crate) fn held_by<'p>(&self, plan: &'p EvaluationPlan) -> ChosenRule<'p> {
        ChosenRule { plan, fitted: self.fitted.clone() }
    }
}

impl<'a> Deref for ChosenRule<'a> {
    type Target = dyn Rule + 'a;

    fn deref(&self) -> &Self::Target {
        self.fitted.as_deref().unwrap_or(&*self.plan.rule)
    }
}
