//! Candidates between which nothing is chosen.

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::infer::PreparedPrompt;

/// Two candidates that are the same text.
pub(super) fn find(_: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let candidates: Vec<&PreparedPrompt> = asked.candidates().collect();
    let pair = candidates.iter().enumerate().find_map(|(index, later)| {
        let mut before = candidates.iter().take(index);
        before.find(|earlier| earlier.text == later.text).map(|earlier| (earlier, later))
    });
    let name = |prompt: &PreparedPrompt| {
        prompt.label.as_ref().map(ToString::to_string).unwrap_or_default()
    };
    let told = pair.map(|(earlier, later)| {
        Finding::new(format!(
            "candidates {} and {} are the same text: the first always wins",
            name(earlier),
            name(later)
        ))
    });
    told.into_iter().collect()
}
