//! Which samples a warning is about.

use serde::{Deserialize, Serialize};

/// Indices in the test split, as ranges: the first of each, and the one after its last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SampleRanges(Vec<[usize; 2]>);

impl SampleRanges {
    /// The ranges of these samples, in whatever order they come.
    pub fn new(mut samples: Vec<usize>) -> Self {
        samples.sort_unstable();
        let mut ranges: Vec<[usize; 2]> = Vec::new();
        for sample in samples {
            match ranges.last_mut() {
                Some([_, end]) if *end >= sample => *end = sample + 1,
                _ => ranges.push([sample, sample + 1]),
            }
        }
        Self(ranges)
    }

    /// Whether a sample is among them.
    pub fn contains(&self, sample: usize) -> bool {
        let after = self.0.partition_point(|[first, _]| *first <= sample);
        after.checked_sub(1).is_some_and(|at| self.0[at][1] > sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_range() {
        let ranges = SampleRanges::new(vec![7, 0, 2, 1, 5, 2]);
        assert_eq!(serde_json::json!(ranges), serde_json::json!([[0, 3], [5, 6], [7, 8]]));
        let found: Vec<usize> = (0..9).filter(|sample| ranges.contains(*sample)).collect();
        assert_eq!(found, [0, 1, 2, 5, 7]);
        assert!(!SampleRanges::default().contains(0));
    }
}
