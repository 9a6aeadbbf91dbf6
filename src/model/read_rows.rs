//! The rows of a pass that are read behind the last layer, as that layer computes them.
//!
//! Of a prompt that many questions share, nobody reads what the last layer makes of its rows: only their keys and values count there. So the
//! last layer attends with the rows that are read, and its feed-forward network sees no others. Attention takes consecutive rows that end where
//! their keys do, so of a segment the rows from the first that is read to the last one attend.

use candle_core::{Result, Tensor};

use super::rows::{Rows, Segment};
use crate::ops::experts::gather;

/// Rows that are read, ascending, and what attends for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReadRows {
    /// The rows in the pass.
    rows: Vec<u32>,
    /// The rows in the pass that attend: these and what is behind them in their segments.
    attending: Vec<u32>,
    /// The segments of those.
    pub(super) segments: Vec<Segment>,
    /// Where what is read stands among them; `None` where it is all of them.
    places: Option<Vec<u32>>,
}

impl ReadRows {
    /// The rows `read`, ascending, of a pass.
    pub(super) fn of(rows: &Rows<'_>, read: &[u32]) -> Self {
        let (mut attending, mut segments, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut rest = read;
        for segment in rows.segments {
            let own = rest.partition_point(|&row| (row as usize) < segment.rows.end);
            let (here, later) = rest.split_at(own);
            rest = later;
            let Some(&first) = here.first() else { continue };
            let begins = attending.len();
            places.extend(here.iter().map(|row| begins as u32 + row - first));
            attending.extend(first..segment.rows.end as u32);
            segments.push(Segment { rows: begins..attending.len(), ..segment.clone() });
        }
        let places = (places.len() < attending.len()).then_some(places);
        Self { rows: read.to_vec(), attending, segments, places }
    }

    /// How many rows are read.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Those that are read of a tensor of all rows of the pass.
    pub(super) fn read(&self, all: &Tensor) -> Result<Tensor> {
        gather(all, &self.rows)
    }

    /// Those that attend of a tensor of all rows of the pass.
    pub(super) fn attending(&self, all: &Tensor) -> Result<Tensor> {
        gather(all, &self.attending)
    }

    /// Those that are read of a tensor of the rows that attended.
    pub(super) fn read_of_attending(&self, attended: Tensor) -> Result<Tensor> {
        match &self.places {
            None => Ok(attended),
            Some(places) => gather(&attended, places),
        }
    }

    /// The positions of the rows that attend.
    pub(super) fn positions(&self, rows: &Rows<'_>) -> Vec<u32> {
        self.attending.iter().filter_map(|&row| rows.positions.get(row as usize).copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Run;

    #[test]
    fn segments_begin_with_the_first_row_that_is_read() {
        let table = |block| vec![Run { block, tokens: 5 }];
        let segments = [(0..3, 7), (3..4, 8), (4..9, 9)]
            .map(|(rows, block)| Segment::causal(rows, table(block)));
        let ids = [0; 9];
        let rows = Rows::of_tokens(&ids, &ids, &ids, &segments);
        let read = ReadRows::of(&rows, &[1, 5, 6, 8]);
        assert_eq!(read.attending, [1, 2, 5, 6, 7, 8]);
        assert_eq!(
            read.segments,
            [Segment::causal(0..2, table(7)), Segment::causal(2..6, table(9))]
        );
        assert_eq!(read.places.as_deref(), Some(&[0, 2, 3, 5][..]));
        assert_eq!(ReadRows::of(&rows, &[2, 3, 8]).places, None);
        assert!(ReadRows::of(&rows, &[]).segments.is_empty());
    }
}
