//! Finding the keys of a range of positions in a segment's blocks.

use std::ops::Range;

use super::Run;

/// The runs of a segment and where each begins.
pub(super) struct Table<'a> {
    runs: &'a [Run],
    /// Position of each run's first token, and the end.
    starts: Vec<usize>,
}

/// Consecutive keys in one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The block.
    pub(super) block: usize,
    /// Place of the first key in it.
    pub(super) place: usize,
    /// Position of the first key.
    pub(super) key: usize,
    /// How many keys.
    pub(super) tokens: usize,
}

impl<'a> Table<'a> {
    /// The table of these runs.
    pub(super) fn new(runs: &'a [Run]) -> Self {
        let mut end = 0;
        let ends = runs.iter().map(|run| {
            end += run.tokens as usize;
            end
        });
        Self { runs, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// How many tokens there are.
    pub(super) fn tokens(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// The blocks' parts that hold the positions `keys`, in order.
    pub(super) fn parts(&self, keys: Range<usize>) -> impl Iterator<Item = Part> {
        let first = self.starts.partition_point(|&start| start <= keys.start).saturating_sub(1);
        let runs = self.runs.iter().zip(self.starts.windows(2)).skip(first);
        runs.take_while(move |(_, bounds)| bounds[0] < keys.end).filter_map(move |(run, bounds)| {
            let key = keys.start.max(bounds[0]);
            let tokens = keys.end.min(bounds[1]).saturating_sub(key);
            let place = key - bounds[0];
            (tokens > 0).then_some(Part { block: run.block as usize, place, key, tokens })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_a_range_in_order() {
        let run = |block, tokens| Run { block, tokens };
        let runs = [run(4, 3), run(9, 0), run(1, 16), run(7, 5)];
        let table = Table::new(&runs);
        assert_eq!(table.tokens(), 24);
        let part = |block, place, key, tokens| Part { block, place, key, tokens };
        let parts = |keys| table.parts(keys).collect::<Vec<_>>();
        assert_eq!(parts(2..21), [part(4, 2, 2, 1), part(1, 0, 3, 16), part(7, 0, 19, 2)]);
        assert_eq!(parts(5..6), [part(1, 2, 5, 1)]);
        assert_eq!(parts(23..24), [part(7, 4, 23, 1)]);
        assert!(parts(4..4).is_empty());
    }
}
