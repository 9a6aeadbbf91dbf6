//! The rows one forward pass computes.

use std::ops::Range;

/// Tokens of several sequences, packed one sequence after another without padding.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Token ids.
    pub ids: &'a [u32],
    /// Each token's place in its own sequence.
    pub positions: &'a [u32],
    /// Where each sequence's rows end, ascending; the last equals the number of rows.
    pub ends: &'a [usize],
}

impl Rows<'_> {
    /// The rows of each sequence.
    pub fn segments(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends.iter().copied()).map(|(start, end)| start..end)
    }
}
