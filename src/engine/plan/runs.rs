//! Which requests are computed together.
//!
//! Planning is a pure function of lengths and a budget, so that the same requests always make the
//! same batches. It is the one place that decides what is computed when.

use std::ops::Range;

/// Divides items, in their order, into runs of at most `budget_tokens` each.
///
/// An item above the budget gets a run of its own.
pub fn batches(
    lengths_tokens: impl IntoIterator<Item = usize>,
    budget_tokens: usize,
) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut run = 0..0;
    let mut filled_tokens = 0;
    for length in lengths_tokens {
        if !run.is_empty() && filled_tokens + length > budget_tokens {
            runs.push(run.clone());
            run.start = run.end;
            filled_tokens = 0;
        }
        run.end += 1;
        filled_tokens += length;
    }
    if !run.is_empty() {
        runs.push(run);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_stay_within_the_budget_and_cover_everything() {
        assert_eq!(batches([3, 4, 3, 20, 1], 10), [0..3, 3..4, 4..5]);
        assert_eq!(batches([20], 10), vec![0..1]);
        assert_eq!(batches([5, 5, 5], 0), [0..1, 1..2, 2..3]);
        assert!(batches([], 10).is_empty());
    }
}
