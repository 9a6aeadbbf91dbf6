//! The largest of many correlated normal numbers.

use rand_mt::Mt64;
use rayon::prelude::*;

use super::Resampling;

/// Resamples that a thread computes from one seed.
const CHUNK: usize = 1024;
/// Part of the largest variance below which what is left of one is rounding.
const ROUNDING: f64 = 1e-12;

/// Draws normal numbers, one for each variant, with this covariance, and for every resample gives the
/// largest |difference| between two of them in standard deviations; in ascending order. Pairs whose
/// difference has no variance have no part in it.
///
/// The reference distribution of T. Hothorn, F. Bretz and P. Westfall, "Simultaneous Inference in General
/// Parametric Models", Biometrical Journal 50 (2008), 346–363; of equal variances and correlations it is
/// Tukey's studentised range over √2.
pub(super) fn gaussian_maxima(covariance: &[Vec<f64>], resampling: Resampling) -> Vec<f64> {
    let variants = covariance.len();
    let factor = lower_factor(covariance);
    let pairs: Vec<(usize, usize, f64)> = (0..variants)
        .flat_map(|first| (first + 1..variants).map(move |second| (first, second)))
        .filter_map(|(first, second)| {
            let (one, other) = (covariance[first][first], covariance[second][second]);
            let variance = one + other - 2.0 * covariance[first][second];
            (variance > ROUNDING * (one + other)).then(|| (first, second, variance.sqrt().recip()))
        })
        .collect();
    let chunk = |(chunk, length): (u64, usize)| -> Vec<f64> {
        let mut random = resampling.random(2, chunk);
        let (mut draws, mut values) = (vec![0.0; variants + 1], vec![0.0; variants]);
        let mut largest = || {
            for pair in draws.chunks_exact_mut(2) {
                pair.copy_from_slice(&two_normal(&mut random));
            }
            for (value, row) in values.iter_mut().zip(&factor) {
                *value = row.iter().zip(&draws).map(|(factor, draw)| factor * draw).sum();
            }
            let distance = |&(first, second, scale): &(usize, usize, f64)| {
                f64::abs(values[first] - values[second]) * scale
            };
            pairs.iter().map(distance).fold(0.0, f64::max)
        };
        (0..length).map(|_| largest()).collect()
    };
    let chunks: Vec<Vec<f64>> = resampling.chunks(CHUNK).into_par_iter().map(chunk).collect();
    let mut all = chunks.concat();
    all.sort_unstable_by(f64::total_cmp);
    all
}

/// Cholesky's lower triangle; columns of variants that the ones before determine are zero.
fn lower_factor(covariance: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let largest = covariance.iter().enumerate().fold(0.0_f64, |max, (at, row)| max.max(row[at]));
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(covariance.len());
    for (index, row) in covariance.iter().enumerate() {
        let mut own: Vec<f64> = Vec::with_capacity(index + 1);
        for (column, &wanted) in row.iter().enumerate().take(index + 1) {
            let known = |other: &[f64]| own.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
            let next = if column == index {
                let left = wanted - known(&own);
                if left > ROUNDING * largest { left.sqrt() } else { 0.0 }
            } else {
                let diagonal = factor[column][column];
                if diagonal > 0.0 { (wanted - known(&factor[column])) / diagonal } else { 0.0 }
            };
            own.push(next);
        }
        factor.push(own);
    }
    factor
}

/// Two independent standard normal numbers: G. E. P. Box and M. E. Muller, "A Note on the Generation of
/// Random Normal Deviates", The Annals of Mathematical Statistics 29 (1958), 610–611.
fn two_normal(random: &mut Mt64) -> [f64; 2] {
    let mut uniform = || ((random.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
    let radius = (-2.0 * uniform().ln()).sqrt();
    let (sine, cosine) = (std::f64::consts::TAU * uniform()).sin_cos();
    [radius * sine, radius * cosine]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_variants_have_the_studentised_range() {
        let identity = |size: usize| -> Vec<Vec<f64>> {
            let row = |at| (0..size).map(|column| f64::from(u8::from(at == column))).collect();
            (0..size).map(row).collect()
        };
        // q(0.95; k, ∞) of tables: 2.772, 3.314, 4.474.
        for (size, q) in [(2, 2.772), (3, 3.314), (10, 4.474_f64)] {
            let maxima =
                gaussian_maxima(&identity(size), Resampling { resamples: 100_000, seed: 5 });
            let found = maxima[94_999] * 2.0_f64.sqrt();
            assert!((found - q).abs() < 0.03, "{size}: {found} instead of {q}");
        }
    }

    #[test]
    fn the_factor_multiplies_to_the_covariance() {
        let covariance = vec![vec![4.0, 2.0, -6.0], vec![2.0, 1.0, -3.0], vec![-6.0, -3.0, 10.0]];
        let factor = lower_factor(&covariance);
        for (row, expected) in factor.iter().zip(&covariance) {
            for (other, &expected) in factor.iter().zip(expected).take(row.len()) {
                let found: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                assert!((found - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_has_no_variance_is_left_out() {
        let maxima = gaussian_maxima(&[vec![1.0; 2], vec![1.0; 2]], Resampling::default());
        assert!(maxima.iter().all(|one| one.abs() < 1e-12));
    }
}
