//! Contextual calibration: answers that are likely whatever is asked gain nothing by it.
//!
//! Zhao et al. 2021, "Calibrate Before Use": the probability of a label after the question, divided by its mean
//! probability after questions without content. Both are among the labels of the sample. Here W is diagonal and
//! b is 0, as there.

use serde::Deserialize;

use super::{
    Rule,
    label_probability::{answer_nats, mean_of_probabilities, normalized_nats},
};
use crate::infer::{Asking, Choice, Wanted};

/// The rule, and what stands in the input columns of questions without content.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Calibrated {
    content_free: Vec<String>,
}

impl Default for Calibrated {
    fn default() -> Self {
        Self { content_free: ["N/A", "[MASK]", ""].map(str::to_owned).to_vec() }
    }
}

impl Rule for Calibrated {
    fn scores(&self, choice: Choice<'_>) -> Option<Vec<f64>> {
        let round = |text: &String| {
            let asking = Asking::ContentFree(text.clone());
            let found = choice.counterparts.iter().find(|other| other.asking == asking)?;
            Some(normalized_nats(&answer_nats(&found.candidates)))
        };
        let rounds: Vec<Vec<f64>> = self.content_free.iter().map(round).collect::<Option<_>>()?;
        let own = normalized_nats(&answer_nats(choice.candidates));
        let free = mean_of_probabilities(&rounds);
        Some(own.iter().zip(free).map(|(own, free)| own - free).collect())
    }

    fn needs_context(&self) -> bool {
        true
    }

    fn wanted(&self) -> Wanted {
        Wanted::ContentFree(self.content_free.clone())
    }
}
