//! What the differences of all pairs are measured against.

use super::{
    Clusters, Interval, PairDifference, Resampling, Unstated,
    distribution::normal_below,
    gaussian_maxima::gaussian_maxima,
    interval::Z_95,
    pair_moments::{PairDesign, PairMoments},
    paired_difference::FEWEST_DIFFERING,
    sign_flips::SignMaxima,
};

/// How often one pair or another may seem to differ where none does.
const LEVEL: f64 = 0.05;
/// Sums in another order differ by so much; a tie counts against a difference.
const TIE: f64 = 1e-9;

/// What the largest statistic of all pairs would be if there were no difference.
pub(super) struct Reference {
    signs: SignMaxima,
    /// In standard errors; of one pair the normal distribution needs no draws.
    gaussian: Option<Vec<f64>>,
    pub(super) critical_value: f64,
}

impl Reference {
    /// Of each variant's score for each sample.
    pub(super) fn of(
        variants: &[&[f64]],
        moments: &[PairMoments],
        design: &PairDesign,
        resampling: Resampling,
    ) -> Self {
        let (sizes, columns) = (design.clusters.sizes(), cluster_sums(variants, design.clusters));
        let signs = SignMaxima::of(&columns, sizes, moments, resampling);
        let gaussian =
            (moments.len() > 1).then(|| gaussian_maxima(&covariance(&columns, design), resampling));
        let beyond = resampling.beyond(LEVEL);
        let quantile = |sorted: &[f64]| sorted[sorted.len() - beyond.min(sorted.len())];
        let cosine = quantile(&signs.of_differences).max(quantile(&signs.of_residuals));
        let normal = gaussian.as_deref().map_or(Z_95, quantile).max(Z_95);
        let critical_value = design.t_of_cosine(cosine).max(normal) * (1.0 + TIE);
        Self { signs, gaussian, critical_value }
    }

    fn p(&self, pair: &PairMoments, design: &PairDesign) -> f64 {
        if pair.per_square <= 0.0 {
            return 1.0;
        }
        let share_beyond = |sorted: &[f64], found: f64| {
            let below = sorted.partition_point(|&one| one * (1.0 + TIE) < found);
            (sorted.len() - below + 1) as f64 / (sorted.len() + 1) as f64
        };
        let gaussian = self.gaussian.as_ref().filter(|_| !design.are_shares);
        share_beyond(&self.signs.of_differences, pair.cosine)
            .max(share_beyond(&self.signs.of_residuals, pair.cosine))
            .max(gaussian.map_or(0.0, |sorted| share_beyond(sorted, pair.t)))
            .max(2.0 * normal_below(-pair.t))
    }

    /// The interval never contradicts the p: of few samples that differ the signs may tell a difference
    /// whose size they do not, and of clusters they may tell none.
    pub(super) fn judged(&self, pair: &PairMoments, design: &PairDesign) -> PairDifference {
        let PairMoments { first, second, difference, .. } = *pair;
        let p = self.p(pair, design);
        let interval = self.interval(pair, design).map(|Interval { low, high }| {
            if p > LEVEL {
                Interval { low: low.min(0.0), high: high.max(0.0) }
            } else if difference > 0.0 {
                Interval { low: low.max(0.0), high }
            } else {
                Interval { low, high: high.min(0.0) }
            }
        });
        PairDifference { first, second, difference, p, interval }
    }

    fn interval(&self, pair: &PairMoments, design: &PairDesign) -> Result<Interval, Unstated> {
        design.clusters.resampled()?;
        if let Some(share) = pair.share {
            return Ok(share.score_interval(self.critical_value));
        }
        if pair.differing < FEWEST_DIFFERING {
            let found = pair.differing;
            return Err(Unstated::FewDiffer { found, needed: FEWEST_DIFFERING });
        }
        if pair.standard_error <= 0.0 {
            return Err(Unstated::NoScatter);
        }
        let half = self.critical_value * pair.standard_error;
        if !half.is_finite() {
            return Err(Unstated::ThinScatter);
        }
        Ok(Interval { low: pair.difference - half, high: pair.difference + half })
    }
}

/// The sum of each cluster for each variant, less the mean over variants, which is in no difference.
fn cluster_sums(variants: &[&[f64]], clusters: &Clusters) -> Vec<Vec<f64>> {
    let mut columns: Vec<Vec<f64>> =
        variants.iter().map(|scores| clusters.sums(scores.iter().copied())).collect();
    for row in 0..clusters.count() {
        let mean = columns.iter().map(|column| column[row]).sum::<f64>() / columns.len() as f64;
        for column in &mut columns {
            column[row] -= mean;
        }
    }
    columns
}

/// The covariance of the variants' residuals, cluster by cluster. Shares have an imagined cluster each on
/// which they alone are right: where none differs, pairs are then as if they were independent.
fn covariance(columns: &[Vec<f64>], design: &PairDesign) -> Vec<Vec<f64>> {
    let sizes = design.clusters.sizes();
    let samples: f64 = sizes.iter().sum();
    let residuals: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| {
            let mean = column.iter().sum::<f64>() / samples;
            column.iter().zip(sizes).map(|(value, size)| value - size * mean).collect()
        })
        .collect();
    let imagined = if design.are_shares { design.clusters.mean_square_size() } else { 0.0 };
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let entry = |row: usize, column: usize| {
        let own = if row == column { imagined } else { 0.0 };
        product(&residuals[row], &residuals[column]) + own
    };
    (0..columns.len())
        .map(|row| (0..columns.len()).map(|column| entry(row, column)).collect())
        .collect()
}
