//! A mean over samples, and how far it may be off.

use std::hash::Hash;

use indexmap::IndexMap;

/// The mean of per-sample scores with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean; NaN of no samples.
    pub value: f64,
    /// Its standard error, in the unit of the value; unknown below two samples.
    pub standard_error: Option<f64>,
}

impl Mean {
    /// The mean of these scores, summed in order.
    ///
    /// The samples are taken as independent draws from all the questions that could have been asked.
    /// By the central limit theorem the mean then scatters with √(s²/n), where s² is the variance
    /// with divisor n − 1; for scores of 0 and 1 with mean p this is √(p(1−p)/(n−1)). See Miller,
    /// "Adding Error Bars to Evals" (2024), arXiv:2411.00640, section 2.1.
    pub fn of(scores: &[f64]) -> Self {
        let n = scores.len() as f64;
        let value = scores.iter().sum::<f64>() / n;
        let squares: f64 = scores.iter().map(|score| (score - value).powi(2)).sum();
        let standard_error = (scores.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt());
        Self { value, standard_error }
    }

    /// The share of `true`, in percent.
    pub fn percent_of(correct: &[bool]) -> Self {
        let scores: Vec<f64> =
            correct.iter().map(|&is_right| f64::from(u8::from(is_right))).collect();
        let Self { value, standard_error } = Self::of(&scores);
        Self { value: value * 100.0, standard_error: standard_error.map(|error| error * 100.0) }
    }
}

/// The standard error of the mean of scores that come in clusters: questions about one text, say,
/// which are right or wrong together. Unknown below two scores, or unless each has its cluster.
///
/// √(Σ over clusters of (Σ over its scores of (x − x̄))²) / n: errors add up within a cluster and are
/// independent between clusters. It is the sandwich estimator without a correction for few clusters,
/// as in Miller, "Adding Error Bars to Evals" (2024), arXiv:2411.00640, section 2.2; where every score
/// is a cluster of its own it is √((n−1)/n) of [`Mean`]'s. With a single cluster it is zero and says
/// nothing.
pub fn clustered_standard_error<C: Eq + Hash>(scores: &[f64], clusters: &[C]) -> Option<f64> {
    if scores.len() < 2 || scores.len() != clusters.len() {
        return None;
    }
    let mean = Mean::of(scores).value;
    let mut residuals: IndexMap<&C, f64> = IndexMap::new();
    for (score, cluster) in scores.iter().zip(clusters) {
        *residuals.entry(cluster).or_default() += score - mean;
    }
    let squares: f64 = residuals.values().map(|sum| sum * sum).sum();
    Some(squares.sqrt() / scores.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_the_binomial_error() {
        let mut correct = [false; 40];
        correct[..10].fill(true);
        let mean = Mean::percent_of(&correct);
        assert!((mean.value - 25.0).abs() < 1e-12);
        let expected = (0.25 * 0.75 / 39.0_f64).sqrt() * 100.0;
        assert!((mean.standard_error.unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn few_samples_have_no_error() {
        assert_eq!(Mean::of(&[2.5]), Mean { value: 2.5, standard_error: None });
        assert!(Mean::of(&[]).value.is_nan());
    }

    #[test]
    fn one_value_everywhere_has_no_scatter() {
        assert_eq!(Mean::of(&[3.0; 5]), Mean { value: 3.0, standard_error: Some(0.0) });
    }

    #[test]
    fn what_is_wrong_together_counts_once() {
        let scores = [1.0, 1.0, 0.0, 0.0];
        let together = clustered_standard_error(&scores, &["a", "a", "b", "b"]).unwrap();
        assert!((together - 2f64.sqrt() / 4.0).abs() < 1e-12);
        let apart = clustered_standard_error(&scores, &[1, 2, 3, 4]).unwrap();
        let independent = Mean::of(&scores).standard_error.unwrap();
        assert!((apart - independent * 0.75f64.sqrt()).abs() < 1e-12);
        assert_eq!(clustered_standard_error(&scores, &[1]), None);
        assert_eq!(clustered_standard_error(&[1.0], &[1]), None);
    }
}
