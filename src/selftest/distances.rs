//! How far numbers of a device are from the CPU's, all of them together.

use candle_core::DType;

use super::SelftestRow;

/// One of so many tokens is not judged in 16 bits: where two experts are nearly as likely, rounding decides, and what follows
/// is off by nats in any program.
const UNUSUAL_PART: usize = 100;

/// Distances of one thing that a checkpoint does, from the smallest on.
#[derive(Debug)]
pub(super) struct Distances {
    /// How many inputs were tried.
    cases: usize,
    sorted: Vec<f64>,
}

impl Distances {
    /// Those of `cases` inputs; what is no number is infinitely far.
    pub(super) fn of(cases: usize, mut all: Vec<f64>) -> Self {
        for distance in &mut all {
            *distance = if distance.is_nan() { f64::INFINITY } else { *distance };
        }
        all.sort_unstable_by(f64::total_cmp);
        Self { cases, sorted: all }
    }

    fn furthest(&self) -> f64 {
        self.sorted.last().copied().unwrap_or(0.0)
    }

    fn mean(&self) -> f64 {
        mean(&self.sorted)
    }

    /// As surprisals in nats, of which f32 is judged by the furthest and 16 bits by the mean of the usual ones.
    pub(super) fn of_scores(&self, row: SelftestRow, dtype: DType) -> SelftestRow {
        let (cases, furthest) = (self.cases, self.furthest());
        let usual = self.sorted.len() - self.sorted.len() / UNUSUAL_PART;
        let judged = if dtype == DType::F32 { furthest } else { mean(&self.sorted[..usual]) };
        SelftestRow { cases, furthest, mean_nats: Some(self.mean()), judged, ..row }
    }

    /// As numbers of rows, in parts of their size, of which f32 is judged by the furthest and 16 bits by the mean: what rounds in
    /// every layer of a tower is off by more than a few steps somewhere.
    pub(super) fn of_rows(&self, row: SelftestRow, dtype: DType) -> SelftestRow {
        let (cases, furthest) = (self.cases, self.furthest());
        let judged = if dtype == DType::F32 { furthest } else { self.mean() };
        SelftestRow { cases, furthest, mean_of_size: Some(self.mean()), judged, ..row }
    }
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_judged_by_what_is_usual() {
        let mut all = vec![0.5; 99];
        all.push(90.0);
        let row = |dtype| SelftestRow::of("one".to_owned(), dtype);
        let distances = Distances::of(3, all);
        let judged = |dtype| distances.of_scores(row(dtype), dtype).judged;
        assert_eq!((judged(DType::F32), judged(DType::BF16)), (90.0, 0.5));
        let judged = |dtype| distances.of_rows(row(dtype), dtype).judged;
        assert_eq!((judged(DType::F32), judged(DType::F16)), (90.0, 1.395));
        let infinite = Distances::of(1, vec![f64::NAN, 0.0]);
        assert!(infinite.of_rows(row(DType::F32), DType::F32).judged.is_infinite());
    }
}
