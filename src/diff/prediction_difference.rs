//! Which samples have other answers, and which other texts the model wrote.

use serde::Serialize;

use super::{pair::Pair, side::SideSample};

/// Which answers differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PredictionDifferences {
    /// Samples that have an answer on both sides.
    pub compared: usize,
    /// Samples that have no answer on one side only, because it failed there.
    pub failed_on_one_side: usize,
    /// Samples for which the model wrote a text on both sides.
    pub texts_compared: usize,
    /// Those for which it wrote other texts.
    pub texts_differing: usize,
    /// Samples whose golds differ although both sides have one.
    pub other_golds: usize,
    /// Every sample whose answer changed.
    pub changed: Vec<ChangedPrediction>,
}

/// A sample with other answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedPrediction {
    /// Its number on both sides.
    pub samples: [usize; 2],
    /// Both answers: labels, or texts.
    pub predictions: [Option<String>; 2],
    /// Both golds.
    pub golds: [Option<String>; 2],
}

impl PredictionDifferences {
    /// Of all pairs.
    pub(super) fn of(pairs: &[Pair<'_>]) -> Self {
        let mut found = Self::default();
        for pair in pairs {
            let failed = [pair.left, pair.right].map(|side| side.error.is_some());
            let is_failed_on_one_side = failed[0] != failed[1];
            found.failed_on_one_side += usize::from(is_failed_on_one_side);
            if let (Some(own), Some(other)) = (&pair.left.gold, &pair.right.gold) {
                found.other_golds += usize::from(own != other);
            }
            if let Some(is_same) = pair.has_same_texts() {
                found.texts_compared += 1;
                found.texts_differing += usize::from(!is_same);
            }
            let is_same = pair.has_same_answer();
            found.compared += usize::from(is_same.is_some());
            if is_same == Some(false) || is_failed_on_one_side {
                found.changed.push(ChangedPrediction::of(pair));
            }
        }
        found
    }
}

impl ChangedPrediction {
    fn of(pair: &Pair<'_>) -> Self {
        // A label says nothing to somebody who has other labels, but the answer itself does.
        let is_named_alike = pair.requests.iter().all(|own| own.left.label == own.right.label);
        let shown = |side: &SideSample| -> Option<String> {
            if let Some(error) = &side.error {
                return Some(format!("failed: {error}"));
            }
            let label = side.answer_text();
            let chosen = match &side.answer {
                Some(super::Answer::Choice(place)) => side.requests.get(*place),
                _ => None,
            };
            match (label, chosen.and_then(super::Request::answer)) {
                (Some(label), Some(answer)) if !is_named_alike => {
                    Some(format!("{label} ({})", answer.trim()))
                }
                (Some(label), _) => Some(label),
                (None, _) => side.generated().map(|texts| texts.join("\n")),
            }
        };
        let sides = [pair.left, pair.right];
        Self {
            samples: sides.map(|side| side.number),
            predictions: sides.map(shown),
            golds: sides.map(|side| side.gold.clone()),
        }
    }
}
