//! The rows one forward pass computes.

pub use crate::ops::attention::{Run, Segment};

/// Tokens of many sequences, packed one stretch after another without padding.
///
/// The keys and values of all rows are kept, each at its slot, before any row attends. A segment's
/// earlier tokens may therefore be rows of the same pass.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Token ids.
    pub ids: &'a [u32],
    /// Each token's place in its own sequence, from 0.
    pub positions: &'a [u32],
    /// Where each token's keys and values are kept: block × tokens per block + place in the block.
    /// Distinct within a pass.
    pub slots: &'a [u32],
    /// Stretches of consecutive tokens; they cover the rows in order.
    pub segments: &'a [Segment],
}
