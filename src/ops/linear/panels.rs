//! What a packed weight gives the kernel: panels of 32 outputs, `[in][32]`.

use std::ops::Range;

use crate::ops::aligned::Aligned;
use crate::ops::simd::InstructionSet;
use crate::ops::tile::{COLUMNS, Stored};

/// A packed weight.
pub(in crate::ops) trait Panels: Send + Sync {
    /// What the kernel reads.
    type Number: Stored;

    /// Depth of a chunk. As little as pays: a chunk stays in a near cache while all rows pass over it.
    const CHUNK: usize;

    /// Bytes that the rows which a panel meets at once should fill: the more, the fewer times it is
    /// fetched; the fewer, the nearer they stay.
    const BLOCK_BYTES: usize;

    /// A chunk of a panel, `[depth][32]`, which may be put into `scratch`. `depth` begins at a multiple
    /// of [`Self::CHUNK`] and is that long, or ends with the inputs.
    fn chunk<'a>(
        &'a self,
        panel: usize,
        depth: Range<usize>,
        scratch: &'a mut Aligned<f32>,
    ) -> &'a [Self::Number];

    /// The products of one row with a panel, where that is faster than by chunks. They have the bits
    /// that the kernel with these `instructions` gives them.
    fn multiply_row(
        &self,
        _instructions: InstructionSet,
        _panel: usize,
        _row: &[f32],
    ) -> Option<[f32; COLUMNS]> {
        None
    }

    /// Reads all numbers of one output.
    fn read_output(&self, output: usize, numbers: &mut [f32]);

    /// Inputs of every output.
    fn input_size(&self) -> usize;
}
