//! What tells a member of a comparison from all others.

use serde::Serialize;

use super::Part;
use crate::{kept_run::UnitFacts, plan::Variant, report::VARIANT_MARK};

/// A data set under a model in a run, scored by a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemberKey {
    /// The run.
    pub run: String,
    /// The data set, without its variant.
    pub dataset: String,
    /// The variant of its prompts; `base` for the data set's own.
    pub variant: String,
    /// The model.
    pub model: String,
    /// The rule that scores candidates.
    pub rule: String,
}

impl MemberKey {
    pub(crate) fn of(run: &str, facts: &UnitFacts, rule: &str) -> Self {
        let Variant { dataset, name } = Variant::of_abbr(&facts.dataset);
        Self {
            run: run.to_owned(),
            dataset,
            variant: name,
            model: facts.model.clone(),
            rule: rule.to_owned(),
        }
    }

    /// What it says in a part.
    pub fn part(&self, part: Part) -> &str {
        match part {
            Part::Variant => &self.variant,
            Part::Model => &self.model,
            Part::Rule => &self.rule,
            Part::Run => &self.run,
        }
    }

    /// What messages call it.
    pub(super) fn described(&self) -> String {
        let Self { run, dataset, variant, model, .. } = self;
        format!("{dataset}{VARIANT_MARK}{variant}, model {model}, run {run}")
    }
}
