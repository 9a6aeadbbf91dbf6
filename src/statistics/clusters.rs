//! Which samples belong together.

use std::hash::Hash;

use indexmap::IndexMap;

use super::Unstated;

/// Fewer clusters of several samples carry no interval: their scatter is not known well enough.
const FEWEST: usize = 30;
/// Fewer samples, or clusters, cannot be resampled: too few different resamples exist.
const FEWEST_ROWS: usize = 10;

/// Samples in clusters that are independent of one another: questions about one text, say, are right
/// or wrong together. What is drawn anew or changes its sign is a whole cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// The cluster of each sample.
    of_sample: Vec<usize>,
    /// The samples of each cluster.
    sizes: Vec<f64>,
}

impl Clusters {
    /// Each of so many samples is a cluster of its own.
    pub fn singletons(samples: usize) -> Self {
        Self { of_sample: (0..samples).collect(), sizes: vec![1.0; samples] }
    }

    /// Samples with equal labels are a cluster. Clusters are counted in the order in which they first
    /// appear, so that equal labels give equal figures.
    pub fn by_label<C: Eq + Hash>(labels: &[C]) -> Self {
        let mut numbers: IndexMap<&C, ()> = IndexMap::new();
        let of_sample: Vec<usize> =
            labels.iter().map(|label| numbers.insert_full(label, ()).0).collect();
        let mut sizes = vec![0.0; numbers.len()];
        for &cluster in &of_sample {
            sizes[cluster] += 1.0;
        }
        Self { of_sample, sizes }
    }

    /// How many clusters there are.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// How many samples there are.
    pub fn samples(&self) -> usize {
        self.of_sample.len()
    }

    /// How many samples each cluster has.
    pub(super) fn sizes(&self) -> &[f64] {
        &self.sizes
    }

    /// The mean over clusters of the square of their sizes; NaN of none.
    pub(super) fn mean_square_size(&self) -> f64 {
        self.sizes.iter().map(|size| size * size).sum::<f64>() / self.count() as f64
    }

    /// Refuses clusters of several samples that are too few for an interval.
    pub(super) fn checked(&self) -> Result<(), Unstated> {
        if self.count() < FEWEST && self.count() < self.samples() {
            return Err(Unstated::FewSamples { found: self.count(), needed: FEWEST });
        }
        Ok(())
    }

    /// Refuses what is too little to be drawn anew: fewer than 10 samples or clusters, and what
    /// [`Clusters::checked`] refuses.
    pub(super) fn resampled(&self) -> Result<(), Unstated> {
        if self.count() < FEWEST_ROWS {
            return Err(Unstated::FewSamples { found: self.count(), needed: FEWEST_ROWS });
        }
        self.checked()
    }

    /// The standard error of a mean over samples, from the sum of each cluster's differences from it:
    /// √((G−1)/G · Σ(mean without the cluster − mean)²). There must be two clusters.
    pub(super) fn jackknife_error(&self, residuals: &[f64]) -> f64 {
        let (count, samples) = (self.count() as f64, self.samples() as f64);
        let without = |(residual, size): (&f64, &f64)| (residual / (samples - size)).powi(2);
        let squares: f64 = residuals.iter().zip(&self.sizes).map(without).sum();
        ((count - 1.0) / count * squares).sqrt()
    }

    /// The sum of each cluster, of one value for each sample.
    pub(super) fn sums(&self, values: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut sums = vec![0.0; self.count()];
        for (&cluster, value) in self.of_sample.iter().zip(values) {
            sums[cluster] += value;
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_gather_samples() {
        let clusters = Clusters::by_label(&["b", "a", "b"]);
        assert_eq!((clusters.count(), clusters.samples()), (2, 3));
        assert_eq!(clusters.sizes(), [2.0, 1.0]);
        assert_eq!(clusters.sums([1.0, 10.0, 100.0].into_iter()), [101.0, 10.0]);
    }

    #[test]
    fn different_labels_are_singletons() {
        assert_eq!(Clusters::by_label(&[7, 8, 9]), Clusters::singletons(3));
        assert_eq!(Clusters::by_label::<u8>(&[]), Clusters::singletons(0));
    }
}
