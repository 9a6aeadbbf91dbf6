//! What is simulated: scores of which shape, with which truth, how many.

use std::fmt;

use rand_mt::Mt64;
use surprisal::statistics::Clusters;

/// How scores are distributed.
#[derive(Clone, Copy)]
pub(crate) enum Scores {
    /// 0 or 1, with the share of 1 and the correlation between two variants.
    Shares { rate: f64, correlation: f64 },
    /// Margins: what samples share and what variants add, each of Student's t with few degrees of freedom.
    Margins { degrees: f64, correlation: f64 },
    /// Half right, with a credit from 0.5 to 1 for each; 0.9 correlated.
    Credits,
    /// 0 or 1, half right, in clusters of one to nine samples that are right or wrong together.
    Clustered,
}

/// How variants differ.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Truth {
    /// Not at all.
    Equal,
    /// Evenly from the first to the last, which is ten points (0.3 units) lower.
    Ramp,
    /// The last is much lower, all others are equal.
    OneApart,
    /// The last is five points lower, all others are equal.
    FivePoints,
}

pub(crate) struct Cell {
    pub(crate) scores: Scores,
    pub(crate) truth: Truth,
    pub(crate) samples: usize,
    pub(crate) variants: usize,
}

pub(crate) struct Data {
    pub(crate) columns: Vec<Vec<f64>>,
    pub(crate) clusters: Clusters,
}

impl Cell {
    pub(crate) fn all() -> Vec<Self> {
        let mut shapes = Vec::new();
        for rate in [0.25, 0.5, 0.9] {
            shapes.extend([0.5, 0.9].map(|correlation| Scores::Shares { rate, correlation }));
        }
        shapes.push(Scores::Margins { degrees: 3.0, correlation: 0.5 });
        shapes.push(Scores::Margins { degrees: 2.0, correlation: 0.9 });
        shapes.extend([Scores::Credits, Scores::Clustered]);
        let mut cells = Vec::new();
        for truth in [Truth::Equal, Truth::Ramp, Truth::OneApart] {
            for &scores in &shapes {
                for samples in [30, 100, 1000] {
                    let counts: &[usize] = if truth == Truth::OneApart { &[10] } else { &[2, 10] };
                    cells.extend(counts.iter().map(|&variants| Self {
                        scores,
                        truth,
                        samples,
                        variants,
                    }));
                }
            }
        }
        cells
    }

    /// Whether the long form tries it in full: equal variants, samples that are independent.
    pub(crate) fn is_long(&self) -> bool {
        let is_plain = matches!(self.scores, Scores::Shares { .. } | Scores::Margins { .. });
        is_plain && self.truth == Truth::Equal
    }

    /// The true mean of a variant.
    pub(crate) fn mean(&self, variant: usize) -> f64 {
        let is_last = f64::from(u8::from(variant + 1 == self.variants));
        let place = variant as f64 / (self.variants - 1) as f64;
        let (base, ramp, apart) = match self.scores {
            Scores::Shares { rate, .. } => (rate, 0.1, rate / 2.0),
            Scores::Margins { .. } => (0.0, 0.3, 1.0),
            Scores::Credits => (0.375, 0.075, 0.1875),
            Scores::Clustered => (0.5, 0.1, 0.25),
        };
        base - match self.truth {
            Truth::Equal => 0.0,
            Truth::Ramp => ramp * place,
            Truth::OneApart => apart * is_last,
            Truth::FivePoints => 0.05 * is_last,
        }
    }

    /// One experiment.
    pub(crate) fn data(&self, seed: u64) -> Data {
        let mut random = Mt64::new_with_key([2026, self.samples as u64, seed]);
        let mut columns = vec![Vec::with_capacity(self.samples); self.variants];
        let means: Vec<f64> = (0..self.variants).map(|variant| self.mean(variant)).collect();
        let mut labels = Vec::new();
        let mut own = vec![0.0; self.variants];
        for sample in 0..self.samples {
            match self.scores {
                Scores::Shares { correlation, .. } => {
                    // Taking what is shared with probability √ρ correlates two by ρ.
                    let shared = uniform(&mut random);
                    for (column, mean) in columns.iter_mut().zip(&means) {
                        let is_shared = uniform(&mut random) < correlation.sqrt();
                        let draw = if is_shared { shared } else { uniform(&mut random) };
                        column.push(f64::from(draw < *mean));
                    }
                }
                Scores::Margins { degrees, correlation } => {
                    let shared = correlation.sqrt() * student(degrees, &mut random);
                    for (column, mean) in columns.iter_mut().zip(&means) {
                        let own = (1.0 - correlation).sqrt() * student(degrees, &mut random);
                        column.push(mean + shared + own);
                    }
                }
                Scores::Credits => {
                    let shared = uniform(&mut random);
                    let credit = f64::midpoint(1.0, uniform(&mut random));
                    for (column, mean) in columns.iter_mut().zip(&means) {
                        let is_shared = uniform(&mut random) < 0.9_f64.sqrt();
                        let draw = if is_shared { shared } else { uniform(&mut random) };
                        column.push(if draw < mean / 0.75 { credit } else { 0.0 });
                    }
                }
                Scores::Clustered => {
                    let begins = uniform(&mut random) < 0.2 || labels.len() % 9 == 0;
                    let label = labels.last().map_or(0, |last| last + usize::from(begins));
                    labels.push(label);
                    if begins || sample == 0 {
                        own.fill_with(|| uniform(&mut random));
                    }
                    for ((column, mean), cluster) in columns.iter_mut().zip(&means).zip(&own) {
                        let is_shared = uniform(&mut random) < 0.7;
                        let draw = if is_shared { *cluster } else { uniform(&mut random) };
                        column.push(f64::from(draw < *mean));
                    }
                }
            }
        }
        let clusters = match self.scores {
            Scores::Clustered => Clusters::by_label(&labels),
            _ => Clusters::singletons(self.samples),
        };
        Data { columns, clusters }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self.scores {
            Scores::Shares { rate, correlation } => {
                write!(formatter, "share {rate} r {correlation}")
            }
            Scores::Margins { degrees, correlation } => {
                write!(formatter, "t{degrees} r {correlation}")
            }
            Scores::Credits => write!(formatter, "credits"),
            Scores::Clustered => write!(formatter, "clusters"),
        }?;
        let truth = match self.truth {
            Truth::Equal => "equal",
            Truth::Ramp => "ramp",
            Truth::OneApart => "one apart",
            Truth::FivePoints => "five points",
        };
        write!(formatter, ", {truth}, {} samples, {} variants", self.samples, self.variants)
    }
}

/// From 0 to 1.
fn uniform(random: &mut Mt64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Student's t by R. W. Bailey's polar method (Mathematics of Computation 62 (1994), 779–781).
fn student(degrees: f64, random: &mut Mt64) -> f64 {
    let radius = (degrees * ((1.0 - uniform(random)).powf(-2.0 / degrees) - 1.0)).sqrt();
    radius * (std::f64::consts::TAU * uniform(random)).cos()
}
