//! What happened in the simulations of a cell.

use std::fmt;

use surprisal::statistics::{
    AllPairs, Clusters, Interval, McNemar, PairedDifference, Resampling, bootstrap_95, holm,
};

use super::cell::{Cell, Data, Scores};

/// What is asked of an experiment: how often it could have happened, and how often it did.
#[derive(Clone, Copy, Default)]
struct Count {
    of: u32,
    hits: u32,
}

impl Count {
    fn add(&mut self, hit: Option<bool>) {
        self.of += u32::from(hit.is_some());
        self.hits += u32::from(hit == Some(true));
    }

    fn share(self) -> Option<f64> {
        (self.of > 0).then(|| f64::from(self.hits) / f64::from(self.of))
    }
}

const NAMES: [&str; 10] = [
    "max-T",
    "Holm of exact or t",
    "Holm of mid-p",
    "simultaneous missed",
    "pair missed",
    "bootstrap missed",
    "spread missed",
    "simultaneous stated",
    "bootstrap stated",
    "first and last found",
];

/// Counts in the order of their names.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    counts: [Count; NAMES.len()],
}

impl Tally {
    pub(crate) fn of(cell: &Cell, seed: u64, resamples: usize) -> Self {
        let Data { columns, clusters } = cell.data(seed);
        let resampling = Resampling { resamples, seed };
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let all = AllPairs::of(&slices, &clusters, resampling).unwrap();
        let truth = |first: usize, second: usize| cell.mean(second) - cell.mean(first);
        let is_null = |first: usize, second: usize| truth(first, second).abs() < 1e-12;
        let misses = |interval: Interval, truth: f64| {
            !(interval.low - 1e-12..=interval.high + 1e-12).contains(&truth)
        };
        let nulls = || all.pairs.iter().filter(|pair| is_null(pair.first, pair.second));
        let has_nulls = nulls().next().is_some();
        let mut tally = Self::default();
        let [
            max_t,
            holm_exact,
            holm_mid,
            simultaneous,
            pair,
            bootstrap,
            spread,
            stated,
            booted,
            found,
        ] = &mut tally.counts;

        max_t.add(has_nulls.then(|| nulls().any(|pair| pair.p <= 0.05)));
        let mut is_stated = false;
        let mut is_missed = false;
        for pair in &all.pairs {
            if let Ok(interval) = pair.interval {
                is_stated = true;
                is_missed |= misses(interval, truth(pair.first, pair.second));
            }
        }
        simultaneous.add(is_stated.then_some(is_missed));
        let count = all.pairs.iter().filter(|pair| pair.interval.is_ok()).count();
        stated.add(Some(count == all.pairs.len()));
        let means = (0..cell.variants).map(|variant| cell.mean(variant));
        let range = means.clone().fold(f64::MIN, f64::max) - means.fold(f64::MAX, f64::min);
        spread.add(all.spread().unwrap().interval.ok().map(|interval| misses(interval, range)));

        let last = cell.variants - 1;
        found.add(Some(all.pair(0, last).unwrap().p <= 0.05));
        let (alone, exact, mid): (_, Vec<f64>, Vec<f64>) = tests(cell, &slices, &clusters, &all);
        let is_false = |p: &[f64]| {
            let adjusted = holm(p);
            let real = all.pairs.iter().zip(adjusted).filter(|(_, p)| *p <= 0.05);
            real.into_iter().any(|(pair, _)| is_null(pair.first, pair.second))
        };
        if !matches!(cell.scores, Scores::Clustered) {
            holm_exact.add(has_nulls.then(|| is_false(&exact)));
            holm_mid.add((has_nulls && !mid.is_empty()).then(|| is_false(&mid)));
        }
        pair.add(alone.map(|interval| misses(interval, truth(0, last))));
        if !matches!(cell.scores, Scores::Shares { .. }) && cell.variants == 2 {
            let differences: Vec<f64> =
                columns[0].iter().zip(&columns[last]).map(|(first, last)| last - first).collect();
            let found = bootstrap_95(&[&differences], &clusters, resampling);
            let interval = found.ok().and_then(|found| found[0].ok());
            booted.add(Some(interval.is_some()));
            bootstrap.add(interval.map(|interval| misses(interval, truth(0, last))));
        }
        tally
    }

    pub(crate) fn plus(mut self, other: Self) -> Self {
        for (count, other) in self.counts.iter_mut().zip(other.counts) {
            count.of += other.of;
            count.hits += other.hits;
        }
        self
    }

    fn named(&self, from: usize, to: usize) -> impl Iterator<Item = (&'static str, f64, usize)> {
        let counts = NAMES.into_iter().zip(self.counts).take(to).skip(from);
        counts.filter_map(|(name, count)| Some((name, count.share()?, count.of as usize)))
    }

    /// How often a family was called different though it is not.
    pub(crate) fn false_shares(&self) -> impl Iterator<Item = (&'static str, f64, usize)> {
        self.named(0, 3)
    }

    /// How often an interval that was stated did not hold the truth.
    pub(crate) fn missed_shares(&self) -> impl Iterator<Item = (&'static str, f64, usize)> {
        self.named(3, 7)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        for (name, share, _) in self.named(0, NAMES.len()) {
            write!(formatter, "| {name} {:.2} ", share * 100.0)?;
        }
        Ok(())
    }
}

/// The interval of the first and last alone; each pair's exact p (t's for numbers); its mid-p.
fn tests(
    cell: &Cell,
    columns: &[&[f64]],
    clusters: &Clusters,
    all: &AllPairs,
) -> (Option<Interval>, Vec<f64>, Vec<f64>) {
    let (first, last) = (columns[0], columns[columns.len() - 1]);
    if matches!(cell.scores, Scores::Shares { .. }) {
        let is_right = |column: &&[f64]| column.iter().map(|&one| one > 0.5).collect::<Vec<_>>();
        let right: Vec<Vec<bool>> = columns.iter().map(is_right).collect();
        let counts =
            |first: usize, second: usize| McNemar::of(&right[first], &right[second]).unwrap();
        let each = all.pairs.iter().map(|pair| counts(pair.first, pair.second));
        let alone = counts(0, columns.len() - 1).interval_95(cell.samples);
        return (
            alone,
            each.clone().map(McNemar::exact_p).collect(),
            each.map(McNemar::mid_p).collect(),
        );
    }
    let alone = PairedDifference::of_clusters(first, last, clusters).unwrap().interval.ok();
    let p = all.pairs.iter().map(|pair| {
        PairedDifference::of_clusters(columns[pair.first], columns[pair.second], clusters)
            .unwrap()
            .p
    });
    (alone, p.collect(), Vec::new())
}
