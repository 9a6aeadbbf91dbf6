//! Prompts that are no candidates of their own: a candidate asked once more, or what its answer is measured against.

use super::ViewedPrompt;
use crate::infer::Prepared;

/// Which prompts of a sample ask a candidate in another way.
pub(super) struct OtherWays<'p> {
    prepared: &'p Prepared,
    /// How many prompts are the candidates themselves.
    candidates: usize,
}

impl<'p> OtherWays<'p> {
    pub(super) fn of(prepared: &'p Prepared) -> Self {
        let labelled = prepared.prompts.iter().filter(|prompt| prompt.label.is_some());
        Self { prepared, candidates: labelled.count() }
    }

    /// The prompt at `place`, with the label of its candidate and how that is asked there.
    pub(super) fn named(&self, place: usize, prompt: ViewedPrompt) -> ViewedPrompt {
        if prompt.label.is_some() || self.candidates == 0 {
            return prompt;
        }
        let (own, asked_as) = if self.prepared.askings.is_empty() {
            // The normalizing text follows each candidate.
            (place.saturating_sub(1), "after the normalizing text".to_owned())
        } else {
            let round = (place / self.candidates).saturating_sub(1);
            let asking = self.prepared.askings.get(round);
            (place % self.candidates, asking.map(ToString::to_string).unwrap_or_default())
        };
        let label = self.prepared.prompts.get(own).and_then(|own| own.label.as_ref());
        ViewedPrompt { label: label.map(ToString::to_string), asked_as: Some(asked_as), ..prompt }
    }
}
