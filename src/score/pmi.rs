//! Pointwise mutual information: how much less surprising an answer is after its question than on its own.
//!
//! Holtzman et al. 2021, "Surface Form Competition" (its `PMI_DC`): Σ nll of the answer after its question, less Σ nll
//! of the answer after no more than what leads to it.

use serde::Deserialize;

use super::{Rule, label_probability::answer_nats};
use crate::infer::{Asking, Choice, Wanted};

/// The rule, and what the answers are to stand after on their own; without it the last line before them.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Pmi {
    prefix: Option<String>,
}

impl Rule for Pmi {
    fn scores(&self, choice: Choice<'_>) -> Option<Vec<f64>> {
        let bare = choice.counterparts.iter().find(|other| other.asking == Asking::BareAnswer)?;
        let (own, bare) = (answer_nats(choice.candidates), answer_nats(&bare.candidates));
        Some(own.iter().zip(bare).map(|(own, bare)| own - bare).collect())
    }

    fn needs_context(&self) -> bool {
        true
    }

    fn wanted(&self) -> Wanted {
        Wanted::BareAnswers(self.prefix.clone())
    }
}
