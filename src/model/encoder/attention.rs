//! Attention in which every token of a text sees every other one.

use candle_core::{D, Result, Tensor};

/// The heads of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heads {
    pub(super) count: usize,
    pub(super) size: usize,
}

/// What is added to the products of queries and keys of a text of so many tokens, if anything is: a tensor that fits
/// `(heads, tokens, tokens)`.
pub(super) type Bias<'a> = &'a dyn Fn(usize) -> Result<Option<Tensor>>;

/// softmax(q·kᵀ/√size + bias)·v for each text, `(rows, heads × size)`. `projected` has queries, keys and values side
/// by side, each head by head; the texts' rows follow one another.
pub(super) fn attention(
    projected: &Tensor,
    texts: &[&[u32]],
    heads: Heads,
    bias: Bias<'_>,
) -> Result<Tensor> {
    let width = heads.count * heads.size;
    let scale = (heads.size as f64).powf(-0.5);
    let mut outputs = Vec::with_capacity(texts.len());
    let mut first = 0;
    for ids in texts {
        let tokens = ids.len();
        let rows = projected.narrow(0, first, tokens)?;
        first += tokens;
        let part = |number: usize| {
            rows.narrow(1, number * width, width)?
                .reshape((tokens, heads.count, heads.size))?
                .transpose(0, 1)?
                .contiguous()
        };
        let (queries, keys, values) = (part(0)?, part(1)?, part(2)?);
        let mut products = (queries.matmul(&keys.t()?.contiguous()?)? * scale)?;
        if let Some(bias) = bias(tokens)? {
            products = products.broadcast_add(&bias)?;
        }
        let highest = products.max_keepdim(D::Minus1)?;
        let shares = products.broadcast_sub(&highest)?.exp()?;
        let shares = shares.broadcast_div(&shares.sum_keepdim(D::Minus1)?)?;
        let output = shares.matmul(&values)?.transpose(0, 1)?.reshape((tokens, width))?;
        outputs.push(output);
    }
    Tensor::cat(&outputs, 0)
}
