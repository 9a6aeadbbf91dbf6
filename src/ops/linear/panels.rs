//! What a packed weight gives the kernel: panels of 32 outputs, `[in][32]`.

use std::ops::Range;

use crate::ops::aligned::Aligned;
use crate::ops::quantised::{RoundedRows, Rounding};
use crate::ops::simd::InstructionSet;
use crate::ops::tile::Stored;

/// The rows that a panel meets at once.
#[derive(Clone, Copy, Debug)]
pub(in crate::ops) struct BlockSize {
    /// Bytes that they should fill: the more, the fewer times a panel is fetched; the fewer, the nearer they stay.
    pub(in crate::ops) bytes: usize,
    /// Whether the kernel reads a panel as it lies, so that one which stays in a cache may well be fetched more often.
    pub(in crate::ops) is_read_as_it_lies: bool,
}

/// A packed weight.
pub(in crate::ops) trait Panels: Send + Sync {
    /// What the kernel reads.
    type Number: Stored;

    /// Depth of a chunk. As little as pays: a chunk stays in a near cache while all rows pass over it.
    const CHUNK: usize;

    /// The rows that a panel meets at once.
    fn block(instructions: InstructionSet) -> BlockSize;

    /// A chunk of a panel, `[depth][32]`, which may be put into `scratch`. `depth` begins at a multiple
    /// of [`Self::CHUNK`] and is that long, or ends with the inputs.
    fn chunk<'a>(
        &'a self,
        panel: usize,
        depth: Range<usize>,
        scratch: &'a mut Aligned<f32>,
    ) -> &'a [Self::Number];

    /// Puts the products of a few rows with a panel into `products`, `[row][32]`, where that is faster
    /// than by chunks: says so. `rows` are a number of rows, and their numbers side by side, depth by
    /// depth. Products have the bits that the kernel with these `instructions` gives them.
    fn multiply_few(
        &self,
        _instructions: InstructionSet,
        _panel: usize,
        _rows: (usize, &[f32]),
        _products: &mut [f32],
    ) -> bool {
        false
    }

    /// How rows are rounded before they meet a panel; `None` where they stay what they are.
    fn rounding(&self, _panel: usize) -> Option<Rounding> {
        None
    }

    /// Puts the products of rows that were rounded as a panel wants into `products`, `[row][32]`.
    fn multiply_rounded(
        &self,
        _instructions: InstructionSet,
        _panel: usize,
        _rows: &RoundedRows,
        _products: &mut [f32],
    ) {
    }

    /// Reads all numbers of one output.
    fn read_output(&self, output: usize, numbers: &mut [f32]);

    /// Inputs of every output.
    fn input_size(&self) -> usize;
}
