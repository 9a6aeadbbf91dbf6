//! Intervals of means from resamples.

use rand_mt::Mt64;
use rayon::prelude::*;

use super::{
    Clusters, Interval, Resampling, Unstated,
    distribution::student_975,
    paired_difference::{FEWEST_DIFFERING, beside_the_middle, is_rounding},
};

/// Resamples that are added up together: a row is read once for all of them.
const LANES: usize = 8;
/// Rows that are added up for one column before the next.
const BLOCK: usize = 16;
/// Resamples that a thread computes from one seed.
const CHUNK: usize = 8 * LANES;
/// Tail beyond each end of a 95 % interval.
const TAIL: f64 = 0.025;

/// The 95 % bootstrap interval of the mean of each column, in the column's unit: a metric that is no share,
/// or the differences of a pair of variants. All columns see the same resamples.
///
/// The bootstrap-t of B. Efron and R. Tibshirani, "An Introduction to the Bootstrap" (1993), section 12.5:
/// each resample's distance from the mean is divided by that resample's own standard error, and the 2.5 % and
/// 97.5 % quantiles of those take the place of Student's t. It follows skew, to which percentiles give in, and
/// needs no correction for few samples; see T. Hesterberg, "What Teachers Should Know About the Bootstrap",
/// The American Statistician 69 (2015), 371–386. Of heavy tails it is too sure (92.5 % instead of 95 % held
/// where Student's t with two degrees of freedom was drawn), which Student's interval is not: at each end the
/// farther of the two counts. With clusters whole clusters are drawn, each with the sum of
/// its residuals, the number of samples being held (P. Kline and A. Santos, "A Score Based Approach to Wild
/// Bootstrap Inference", Journal of Econometric Methods 1 (2012), 23–41).
///
/// Not stated below 10 samples (30 clusters of several samples), where fewer than 10 values are not the
/// commonest one, and where more than 2.5 % of the resamples miss all that scatter.
pub fn bootstrap_95(
    columns: &[&[f64]],
    clusters: &Clusters,
    resampling: Resampling,
) -> Result<Vec<Result<Interval, Unstated>>, Unstated> {
    let resampling = resampling.checked()?;
    for column in columns {
        if column.len() != clusters.samples() {
            let (first, second) = (column.len(), clusters.samples());
            return Err(Unstated::Lengths { first, second });
        }
        if !column.iter().all(|value| value.is_finite()) {
            return Err(Unstated::NotFinite);
        }
    }
    clusters.resampled()?;
    let rows = clusters.count();
    let residuals: Vec<Residuals> =
        columns.iter().map(|column| Residuals::of(column, clusters)).collect();
    let width = columns.len();
    let mut table = vec![0.0; rows * width];
    for (index, column) in residuals.iter().enumerate() {
        for (row, &value) in column.values.iter().enumerate() {
            table[row * width + index] = value;
        }
    }
    let chunks: Vec<Vec<Vec<f64>>> = resampling
        .chunks(CHUNK)
        .into_par_iter()
        .map(|chunk| studentised(&table, rows, width, resampling, chunk))
        .collect();
    let beyond = resampling.beyond(TAIL);
    let interval = |(index, column): (usize, &Residuals)| {
        if column.standard_error <= 0.0 {
            return Err(Unstated::NoScatter);
        }
        if column.differing < FEWEST_DIFFERING {
            let found = column.differing;
            return Err(Unstated::FewDiffer { found, needed: FEWEST_DIFFERING });
        }
        let mut t: Vec<f64> =
            chunks.iter().flat_map(|chunk| chunk[index].iter().copied()).collect();
        t.sort_unstable_by(f64::total_cmp);
        let (low, high) = (t[beyond - 1], t[t.len() - beyond]);
        if !(low.is_finite() && high.is_finite()) {
            return Err(Unstated::ThinScatter);
        }
        let student = student_975(rows as f64 - 1.0);
        Ok(Interval {
            low: column.mean - high.max(student) * column.standard_error,
            high: column.mean - low.min(-student) * column.standard_error,
        })
    };
    Ok(residuals.iter().enumerate().map(interval).collect())
}

/// A column less its mean, cluster by cluster.
struct Residuals {
    mean: f64,
    /// Zero where nothing scatters.
    standard_error: f64,
    /// Samples that do not have the commonest value.
    differing: usize,
    /// In units of their root mean square.
    values: Vec<f64>,
}

impl Residuals {
    fn of(column: &[f64], clusters: &Clusters) -> Self {
        let n = column.len() as f64;
        let mean = column.iter().sum::<f64>() / n;
        let mut values = clusters.sums(column.iter().map(|value| value - mean));
        let squares: f64 = values.iter().map(|value| value * value).sum();
        let largest = column.iter().fold(0.0_f64, |max, value| max.max(value.abs()));
        let rows = clusters.count() as f64;
        if is_rounding(squares, largest, n) {
            return Self {
                mean,
                standard_error: 0.0,
                differing: 0,
                values: vec![0.0; clusters.count()],
            };
        }
        let standard_error = clusters.jackknife_error(&values);
        let unit = (squares / rows).sqrt();
        for value in &mut values {
            *value /= unit;
        }
        Self { mean, standard_error, differing: beside_the_middle(column), values }
    }
}

/// For each column its t in each resample of a chunk.
fn studentised(
    table: &[f64],
    rows: usize,
    width: usize,
    resampling: Resampling,
    (chunk, length): (u64, usize),
) -> Vec<Vec<f64>> {
    let mut random = resampling.random(0, chunk);
    let mut found = vec![Vec::with_capacity(length); width];
    let mut drawn = vec![[0.0; LANES]; rows];
    let mut sums = vec![([0.0; LANES], [0.0; LANES]); width];
    for start in (0..length).step_by(LANES) {
        drawn.fill([0.0; LANES]);
        (0..LANES).for_each(|lane| draw(&mut drawn, lane, &mut random));
        sums.fill(([0.0; LANES], [0.0; LANES]));
        let blocks = table.chunks(BLOCK * width.max(1)).zip(drawn.chunks(BLOCK));
        for (block, drawn) in blocks {
            for (column, (sum, squares)) in sums.iter_mut().enumerate() {
                // Sums of a block are kept in registers.
                let (mut block_sum, mut block_squares) = (*sum, *squares);
                for (row, drawn) in block.chunks_exact(width).zip(drawn) {
                    let value = row[column];
                    for lane in 0..LANES {
                        let weighted = drawn[lane] * value;
                        block_sum[lane] += weighted;
                        block_squares[lane] += weighted * value;
                    }
                }
                (*sum, *squares) = (block_sum, block_squares);
            }
        }
        let lanes = LANES.min(length - start);
        for (found, (sum, squares)) in found.iter_mut().zip(&sums) {
            found.extend((0..lanes).map(|lane| t_of_sums(sum[lane], squares[lane], rows as f64)));
        }
    }
    found
}

/// Draws as many rows as there are, with replacement, and counts in one lane how often each.
fn draw(drawn: &mut [[f64; LANES]], lane: usize, random: &mut Mt64) {
    let rows = drawn.len();
    // Half a word for each draw: 32 bits, of which the rows are a scaled range.
    let row = |bits: u64| ((bits * rows as u64) >> 32) as usize;
    for pair in 0..rows.div_ceil(2) {
        let word = random.next_u64();
        drawn[row(word >> 32)][lane] += 1.0;
        if 2 * pair + 1 < rows {
            drawn[row(word & 0xffff_ffff)][lane] += 1.0;
        }
    }
}

/// The resampled residuals' mean in standard errors of its own; infinite where they are all equal and
/// their mean is not that of all.
fn t_of_sums(sum: f64, squares: f64, rows: f64) -> f64 {
    let scatter = squares - sum * sum / rows;
    if scatter > 1e-12 * squares {
        sum / (scatter * rows / (rows - 1.0)).sqrt()
    } else if sum.abs() > 1e-9 {
        sum.signum() * f64::INFINITY
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(column: &[f64]) -> Result<Interval, Unstated> {
        let resampling = Resampling { resamples: 2000, seed: 9 };
        bootstrap_95(&[column], &Clusters::singletons(column.len()), resampling)?[0]
    }

    #[test]
    fn many_even_samples_have_the_interval_of_student() {
        let column: Vec<f64> = (0..900).map(|sample| f64::from(sample % 30)).collect();
        let Interval { low, high } = of(&column).unwrap();
        let standard_error = (899.0 / 12.0 / 899.0_f64).sqrt();
        assert!((low - (14.5 - 1.96 * standard_error)).abs() < 0.05, "{low}");
        assert!((high - (14.5 + 1.96 * standard_error)).abs() < 0.05, "{high}");
    }

    #[test]
    fn skew_is_followed() {
        let column: Vec<f64> = (0..40).map(|sample| f64::from(sample * sample * sample)).collect();
        let mean = column.iter().sum::<f64>() / 40.0;
        let Interval { low, high } = of(&column).unwrap();
        assert!(high - mean > 1.2 * (mean - low), "{low} {mean} {high}");
    }

    #[test]
    fn columns_do_not_touch_each_other() {
        let columns: Vec<Vec<f64>> = (1..4)
            .map(|step| (0..50).map(|sample| f64::from(sample * step % 17)).collect())
            .collect();
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let resampling = Resampling { resamples: 2000, seed: 9 };
        let found = bootstrap_95(&slices, &Clusters::singletons(50), resampling).unwrap();
        for (column, found) in slices.iter().zip(found) {
            assert_eq!(of(column), found);
        }
    }

    #[test]
    fn what_says_nothing_is_not_stated() {
        assert_eq!(of(&[1.0; 9]), Err(Unstated::FewSamples { found: 9, needed: 10 }));
        assert_eq!(of(&[0.1; 30]), Err(Unstated::NoScatter));
        let mut one = [0.0; 30];
        one[3] = 1.0;
        assert_eq!(of(&one), Err(Unstated::FewDiffer { found: 1, needed: 10 }));
        assert_eq!(of(&[f64::NAN; 30]), Err(Unstated::NotFinite));
        let clusters: Vec<usize> = (0..100).map(|sample| sample / 5).collect();
        let few = bootstrap_95(&[], &Clusters::by_label(&clusters), Resampling::default());
        assert_eq!(few, Err(Unstated::FewSamples { found: 20, needed: 30 }));
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let column: Vec<f64> = (0..64).map(|sample| f64::from(sample * 37 % 64).sqrt()).collect();
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(one.install(|| of(&column)), of(&column));
    }
}
