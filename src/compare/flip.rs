//! A sample on which two members do not agree.

use serde::Serialize;

use super::measured_sample::MeasuredSample;

/// A sample that one of two members got right and the other wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flip {
    /// The row of the data set, from 0.
    pub row: usize,
    /// What the right member answers, as the metric sees it.
    pub from: String,
    /// What the left member answers.
    pub to: String,
    /// The gold answer.
    pub gold: String,
    /// Whether the left member is right.
    pub is_gained: bool,
}

impl Flip {
    /// Of the same row under both; nothing unless one score is higher.
    pub(super) fn of(left: &MeasuredSample, right: &MeasuredSample) -> Option<Self> {
        let (score, other) = (left.score?, right.score?);
        ((score - other).abs() > 0.0).then(|| Self {
            row: left.row,
            from: right.answer.clone(),
            to: left.answer.clone(),
            gold: left.gold.clone(),
            is_gained: score > other,
        })
    }
}
