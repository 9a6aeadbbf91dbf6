//! The rows one forward pass computes.

use candle_core::Tensor;

use super::spec::Place;
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
    /// Where each token stands, where that is another number than its position.
    pub places: Option<&'a [Place]>,
    /// Rows that are no token's, in order; their ids are not read.
    pub given: &'a [GivenRows],
    /// The rows that are read behind the last layer, ascending; `None` for all.
    pub read: Option<&'a [u32]>,
}

impl<'a> Rows<'a> {
    /// Rows that are all tokens' and stand where their positions say.
    pub fn of_tokens(
        ids: &'a [u32],
        positions: &'a [u32],
        slots: &'a [u32],
        segments: &'a [Segment],
    ) -> Self {
        Self { ids, positions, slots, segments, places: None, given: &[], read: None }
    }
}

/// Rows of the residual stream that are given instead of looked up in the embedding: what a tower made of an image.
#[derive(Clone, Debug)]
pub struct GivenRows {
    /// The first of them in the pass.
    pub first_row: usize,
    /// The rows, `(rows, hidden size)`.
    pub rows: Tensor,
    /// What is added to them behind the first layers, one tensor of that shape for each.
    pub added: Vec<Tensor>,
}

impl GivenRows {
    /// `stream` with `change` made to each of these stretches of its rows.
    pub(super) fn put(
        given: &[Self],
        stream: &Tensor,
        change: impl Fn(&Self, &Tensor) -> candle_core::Result<Tensor>,
    ) -> candle_core::Result<Tensor> {
        let (mut parts, mut next) = (Vec::new(), 0);
        let keep = |parts: &mut Vec<Tensor>, from: usize, to: usize| {
            if to > from {
                parts.push(stream.narrow(0, from, to - from)?);
            }
            Ok::<_, candle_core::Error>(())
        };
        for own in given {
            let count = own.rows.dim(0)?;
            keep(&mut parts, next, own.first_row)?;
            parts.push(change(own, &stream.narrow(0, own.first_row, count)?)?);
            next = own.first_row + count;
        }
        keep(&mut parts, next, stream.dim(0)?)?;
        Tensor::cat(&parts, 0)
    }
}
