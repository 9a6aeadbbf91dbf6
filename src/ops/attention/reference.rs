//! Attention with plain tensor operations: any device, and what the faster ways are tested against.

use candle_core::{D, DType, Result, Tensor};

use super::{AttentionRule, Segment};
use crate::ops::soft_cap::soft_cap;

/// One segment after the other, with its scores in full.
pub(super) fn attention(
    queries: &Tensor,
    segments: &[Segment],
    rule: AttentionRule,
) -> Result<Tensor> {
    let outputs = segments
        .iter()
        .map(|segment| {
            let queries = queries.narrow(0, segment.rows.start, segment.rows.len())?;
            one_segment(&queries, segment, rule)
        })
        .collect::<Result<Vec<_>>>()?;
    Tensor::cat(&outputs, 0)
}

fn one_segment(queries: &Tensor, segment: &Segment, rule: AttentionRule) -> Result<Tensor> {
    let (rows, heads, head_size) = queries.dims3()?;
    let (tokens, key_heads, _) = segment.keys.dims3()?;
    let group = heads / key_heads;
    // (key heads, group × rows, head size): the group shares its keys within one product.
    let queries = queries
        .reshape((rows, key_heads, group, head_size))?
        .permute((1, 2, 0, 3))?
        .reshape((key_heads, group * rows, head_size))?;
    let keys = segment.keys.permute((1, 2, 0))?.contiguous()?;
    let values = segment.values.transpose(0, 1)?.contiguous()?;

    let mut scores = (queries.matmul(&keys)?.to_dtype(DType::F32)? * rule.scale)?;
    if let Some(cap) = rule.score_soft_cap {
        scores = soft_cap(&scores, cap)?;
    }
    let mask: Vec<f32> = (tokens - rows..tokens)
        .flat_map(|position| {
            let visible = rule.visible(position);
            (0..tokens).map(move |key| if visible.contains(&key) { 0.0 } else { f32::NEG_INFINITY })
        })
        .collect();
    let mask = Tensor::from_vec(mask, (1, 1, rows, tokens), scores.device())?;
    let scores = scores.reshape((key_heads, group, rows, tokens))?.broadcast_add(&mask)?;
    let weights = candle_nn::ops::softmax(&scores, D::Minus1)?
        .reshape((key_heads, group * rows, tokens))?
        .to_dtype(values.dtype())?;
    weights
        .matmul(&values)?
        .reshape((key_heads, group, rows, head_size))?
        .permute((2, 0, 1, 3))?
        .reshape((rows, heads, head_size))
}
