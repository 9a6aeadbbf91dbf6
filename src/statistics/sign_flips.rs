//! Sums under random signs: what differences would look like if there were none.

use rand_mt::Mt64;
use rayon::prelude::*;

use super::{Resampling, pair_moments::PairMoments};

/// Rows whose signs are drawn together: one byte, so that each of the 256 sums is computed once.
const BLOCK: usize = 8;
/// Resamples that a thread computes together: their sums stay in the cache beside the processor.
const CHUNK: usize = 1024;

/// For every resample the largest statistic over all pairs, as the squared cosine that
/// [`PairMoments`] compares; both in ascending order.
pub(super) struct SignMaxima {
    /// Signs of the differences themselves: exact where there is no difference.
    pub(super) of_differences: Vec<f64>,
    /// Signs of the differences less their mean: right where there is one.
    pub(super) of_residuals: Vec<f64>,
}

impl SignMaxima {
    /// Of these columns, a row for each cluster; `sizes` are the clusters'.
    pub(super) fn of(
        columns: &[Vec<f64>],
        sizes: &[f64],
        pairs: &[PairMoments],
        resampling: Resampling,
    ) -> Self {
        let chunks: Vec<(Vec<f64>, Vec<f64>)> = resampling
            .chunks(CHUNK)
            .into_par_iter()
            .map(|(chunk, length)| {
                let mut random = resampling.random(1, chunk);
                let with_sizes: Vec<&[f64]> =
                    columns.iter().map(Vec::as_slice).chain([sizes]).collect();
                maxima(&flipped_sums(&with_sizes, length, &mut random), pairs, length)
            })
            .collect();
        let (differences, residuals): (Vec<_>, Vec<_>) = chunks.into_iter().unzip();
        let sorted = |parts: Vec<Vec<f64>>| {
            let mut all = parts.concat();
            all.sort_unstable_by(f64::total_cmp);
            all
        };
        Self { of_differences: sorted(differences), of_residuals: sorted(residuals) }
    }
}

/// The largest of all pairs, resample by resample; the last column of sums is that of the sizes.
fn maxima(sums: &[Vec<f64>], pairs: &[PairMoments], length: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut of_differences, mut of_residuals) = (vec![0.0; length], vec![0.0; length]);
    let Some(sizes) = sums.last() else { return (of_differences, of_residuals) };
    for pair in pairs {
        let (first, second) = (&sums[pair.first], &sums[pair.second]);
        let largest = of_differences.iter_mut().zip(&mut of_residuals);
        let sums = first.iter().zip(second).zip(sizes);
        for ((of_difference, of_residual), ((first, second), size)) in largest.zip(sums) {
            let sum = second - first;
            let residual = sum - pair.difference * size;
            *of_difference = f64::max(*of_difference, sum * sum * pair.per_square);
            *of_residual = f64::max(*of_residual, residual * residual * pair.per_residual_square);
        }
    }
    (of_differences, of_residuals)
}

/// For each column its sums over all rows, every row with a sign of its own that is the same in all
/// columns; `length` times.
fn flipped_sums(columns: &[&[f64]], length: usize, random: &mut Mt64) -> Vec<Vec<f64>> {
    let rows = columns.iter().map(|column| column.len()).min().unwrap_or(0);
    let mut sums = vec![vec![0.0; length]; columns.len()];
    let mut signs = vec![0_u8; length];
    let mut table = [0.0; 1 << BLOCK];
    for start in (0..rows).step_by(BLOCK) {
        random.fill_bytes(&mut signs);
        for (column, sums) in columns.iter().zip(&mut sums) {
            let block = &column[start..rows.min(start + BLOCK)];
            tabulate(block, &mut table);
            for (sum, &signs) in sums.iter_mut().zip(&signs) {
                *sum += table[usize::from(signs)];
            }
        }
    }
    sums
}

/// The sum of a block under every choice of signs: a bit that is set is a plus.
fn tabulate(block: &[f64], table: &mut [f64; 1 << BLOCK]) {
    table[0] = -block.iter().sum::<f64>();
    for bit in 0..BLOCK {
        let twice = 2.0 * block.get(bit).copied().unwrap_or(0.0);
        let (known, new) = table.split_at_mut(1 << bit);
        for (new, known) in new.iter_mut().zip(known) {
            *new = *known + twice;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_of_signs_is_tabulated() {
        let mut table = [0.0; 256];
        tabulate(&[1.0, 10.0, 100.0], &mut table);
        let close = |at: usize, expected: f64| assert!((table[at] - expected).abs() < 1e-12);
        close(0, -111.0);
        close(0b001, -109.0);
        close(0b111, 111.0);
        close(0b1010_0111, 111.0);
        close(0b101, 91.0);
    }

    #[test]
    fn columns_share_their_signs() {
        let column: Vec<f64> = (1..=21).map(f64::from).collect();
        let twice: Vec<f64> = column.iter().map(|value| value * 2.0).collect();
        let sums = flipped_sums(&[&column, &twice], 500, &mut Mt64::new(3));
        assert!(sums[0].iter().zip(&sums[1]).all(|(a, b)| (2.0 * a - b).abs() < 1e-12));
        let squares: f64 = sums[0].iter().map(|sum| sum * sum).sum::<f64>() / 500.0;
        let expected: f64 = column.iter().map(|value| value * value).sum();
        assert!((squares / expected - 1.0).abs() < 0.25, "{squares} {expected}");
    }
}
