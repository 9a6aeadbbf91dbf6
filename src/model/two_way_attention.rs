//! Attention in which every row of a span sees every other one: of a text in a sentence encoder, of a picture in a vision tower.

use std::ops::Range;

use candle_core::{D, Result, Tensor};

/// Queries whose products with all keys are there at once.
const BAND_ROWS: usize = 512;

/// The heads of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heads {
    pub(super) count: usize,
    pub(super) size: usize,
}

/// What is added to the products of queries and keys of a span, given its place among the spans and its rows, if anything is: a
/// tensor that fits `(heads, rows, rows)`.
pub(super) type Bias<'a> = &'a dyn Fn(usize, usize) -> Result<Option<Tensor>>;

/// Spans of these lengths, one behind the other.
pub(super) fn spans_of(lengths: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
    let mut first = 0;
    let span = |length| {
        let span = first..first + length;
        first += length;
        span
    };
    lengths.into_iter().map(span).collect()
}

/// No bias.
#[expect(clippy::unnecessary_wraps, reason = "it stands where a bias may fail")]
pub(super) fn no_bias(_: usize, _: usize) -> Result<Option<Tensor>> {
    Ok(None)
}

/// softmax(q·kᵀ/√size + bias)·v for each span, `(rows, heads × size)`. `projected` has queries, keys and values side
/// by side, each head by head; the spans cover its rows in order.
///
/// What a span gives does not depend on the others.
pub(super) fn attention(
    projected: &Tensor,
    spans: &[Range<usize>],
    heads: Heads,
    bias: Bias<'_>,
) -> Result<Tensor> {
    let width = heads.count * heads.size;
    let scale = (heads.size as f64).powf(-0.5);
    let mut outputs = Vec::with_capacity(spans.len());
    for (place, span) in spans.iter().enumerate() {
        let count = span.len();
        let rows = projected.narrow(0, span.start, count)?;
        let part = |number: usize| {
            rows.narrow(1, number * width, width)?
                .reshape((count, heads.count, heads.size))?
                .transpose(0, 1)?
                .contiguous()
        };
        let (queries, keys, values) = (part(0)?, part(1)?, part(2)?);
        let keys = keys.t()?.contiguous()?;
        let bias = bias(place, count)?;
        for first in (0..count).step_by(BAND_ROWS) {
            let band = BAND_ROWS.min(count - first);
            let mut products =
                (queries.narrow(1, first, band)?.contiguous()?.matmul(&keys)? * scale)?;
            if let Some(bias) = &bias {
                // A bias may be the same for all queries.
                let band_bias =
                    if bias.dim(1)? == 1 { bias.clone() } else { bias.narrow(1, first, band)? };
                products = products.broadcast_add(&band_bias)?;
            }
            let highest = products.max_keepdim(D::Minus1)?;
            let shares = products.broadcast_sub(&highest)?.exp()?;
            let shares = shares.broadcast_div(&shares.sum_keepdim(D::Minus1)?)?;
            outputs.push(shares.matmul(&values)?.transpose(0, 1)?.reshape((band, width))?);
        }
    }
    Tensor::cat(&outputs, 0)
}
