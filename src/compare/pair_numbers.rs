//! The numbers of two members for the same samples.

use crate::statistics::{Clusters, McNemar};

/// Two members on the samples that both have a number for.
pub(super) struct PairNumbers {
    pub(super) first: Vec<f64>,
    pub(super) second: Vec<f64>,
    pub(super) clusters: Clusters,
    pub(super) are_shares: bool,
    has_clusters: bool,
}

impl PairNumbers {
    pub(super) fn new(
        first: Vec<f64>,
        second: Vec<f64>,
        clusters: Clusters,
        has_clusters: bool,
    ) -> Self {
        #[expect(clippy::float_cmp, reason = "a share is made of whole numbers")]
        let are_shares = first.iter().chain(&second).all(|&one| one == 0.0 || one == 1.0);
        Self { first, second, clusters, are_shares, has_clusters }
    }

    /// On how many samples one alone is right: of shares whose samples are independent of one another.
    pub(super) fn mcnemar(&self) -> Option<McNemar> {
        let is_right = |scores: &[f64]| scores.iter().map(|&one| one > 0.5).collect::<Vec<bool>>();
        let is_counted = self.are_shares && !self.has_clusters;
        is_counted.then(|| McNemar::of(&is_right(&self.first), &is_right(&self.second))).flatten()
    }

    /// The share of samples on which they differ.
    pub(super) fn discordant(&self) -> f64 {
        let differ = self.differences().iter().filter(|one| one.abs() > 0.5).count();
        differ as f64 / self.first.len() as f64
    }

    pub(super) fn differences(&self) -> Vec<f64> {
        self.first.iter().zip(&self.second).map(|(first, second)| second - first).collect()
    }
}
