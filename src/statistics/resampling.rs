//! How many random resamples, and which.

use rand_mt::Mt64;

use super::Unstated;

/// Fewer leave no resample beyond the 2.5 % quantile: 1/40 of them, one at least.
const FEWEST: usize = 39;

/// How often samples are drawn anew, and from which seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampling {
    /// How many resamples; 10,000 by default.
    pub resamples: usize,
    /// Which ones: equal seeds give equal figures, whatever the number of threads.
    pub seed: u64,
}

impl Default for Resampling {
    fn default() -> Self {
        Self { resamples: 10_000, seed: 0 }
    }
}

impl Resampling {
    /// Refuses fewer than 39 resamples.
    pub(super) fn checked(self) -> Result<Self, Unstated> {
        if self.resamples < FEWEST {
            return Err(Unstated::FewResamples { found: self.resamples, needed: FEWEST });
        }
        Ok(self)
    }

    /// The resamples in parts that threads may take in any order, each as its number and its length.
    pub(super) fn chunks(self, length: usize) -> Vec<(u64, usize)> {
        let starts = (0..self.resamples).step_by(length);
        let lengths = starts.map(|start| length.min(self.resamples - start));
        (0..).zip(lengths).collect()
    }

    /// The random numbers of a part; of another `stream` they have nothing to do with these.
    pub(super) fn random(self, stream: u64, chunk: u64) -> Mt64 {
        Mt64::new_with_key([self.seed, stream, chunk])
    }

    /// How many of the resamples lie beyond a quantile that leaves the share `tail`: with the figure
    /// that was observed counted among them, as A. C. Davison and D. V. Hinkley, "Bootstrap Methods
    /// and their Application" (1997), section 4.2, and B. Phipson and G. K. Smyth, "Permutation
    /// P-values Should Never Be Zero" (2010), Statistical Applications in Genetics and Molecular
    /// Biology 9(1), article 39, do. At least 1.
    pub(super) fn beyond(self, tail: f64) -> usize {
        ((tail * (self.resamples + 1) as f64 + 1e-9).floor() as usize).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole() {
        let resampling = Resampling { resamples: 100, seed: 1 };
        assert_eq!(resampling.chunks(48), [(0, 48), (1, 48), (2, 4)]);
        assert_ne!(resampling.random(0, 0).next_u64(), resampling.random(0, 1).next_u64());
    }

    #[test]
    fn quantiles_count_what_was_observed() {
        let of = |resamples| Resampling { resamples, seed: 0 };
        assert_eq!(of(999).beyond(0.05), 50);
        assert_eq!(of(1000).beyond(0.05), 50);
        assert_eq!(of(39).beyond(0.025), 1);
        assert!(of(38).checked().is_err() && of(39).checked().is_ok());
    }
}
