//! Cyclic permutation: an option counts in every place, so that a model that likes a letter gains nothing by it.
//!
//! Zheng et al. 2024, "Large Language Models Are Not Robust Multiple Choice Selectors", equation 1 with cyclic
//! permutations: the probability of an option is the mean of those of the labels that it stood beside.

use serde::Deserialize;

use super::{
    Rule,
    label_probability::{answer_nats, mean_of_probabilities, normalized_nats},
};
use crate::infer::{Asking, Choice, OptionColumns, Wanted};

/// The rule, and where the options are: columns in the order of the labels, or one column with a list; without
/// it the columns that are named as the labels.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Cyclic {
    options: Option<OptionColumns>,
}

impl Rule for Cyclic {
    fn scores(&self, choice: Choice<'_>) -> Option<Vec<f64>> {
        let rounds = rounds(choice)?;
        let count = choice.candidates.len();
        // In the round that moved options on by `by`, option `own` stood beside label `own - by`.
        let of_options = |(by, round): (usize, &Vec<f64>)| -> Vec<f64> {
            (0..count).map(|own| round[(own + count - by) % count]).collect()
        };
        let rounds: Vec<Vec<f64>> = rounds.iter().enumerate().map(of_options).collect();
        Some(mean_of_probabilities(&rounds))
    }

    fn needs_context(&self) -> bool {
        true
    }

    fn wanted(&self) -> Wanted {
        Wanted::Rotations { options: self.options.clone(), every: 1 }
    }
}

/// −ln of the labels' probabilities with options moved on by 0, 1, … places; nothing if not all were asked.
pub(super) fn rounds(choice: Choice<'_>) -> Option<Vec<Vec<f64>>> {
    let round = |by: usize| {
        let candidates = if by == 0 {
            choice.candidates
        } else {
            let asking = Asking::Rotated(by);
            &choice.counterparts.iter().find(|other| other.asking == asking)?.candidates
        };
        let is_whole = candidates.len() == choice.candidates.len();
        is_whole.then(|| normalized_nats(&answer_nats(candidates)))
    };
    (0..choice.candidates.len()).map(round).collect()
}
