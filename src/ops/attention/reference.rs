//! Attention with plain tensor operations: any device, and what the faster way is tested against.

use std::ops::Range;

use candle_core::{D, DType, Result, Tensor};

use super::{AttentionRule, Segment};
use crate::ops::kv::{DeviceSlots, KvShape};
use crate::ops::soft_cap::soft_cap;

/// One segment after the other, with its scores in full.
pub(super) fn attention(
    projected: &Tensor,
    heads: usize,
    segments: &[Segment],
    (kv_slots, shape, block_tokens): (&DeviceSlots, KvShape, usize),
    rule: &AttentionRule,
) -> Result<Tensor> {
    let queries = projected.narrow(1, 0, heads * shape.key_size)?;
    let outputs = segments
        .iter()
        .filter(|segment| !segment.rows.is_empty())
        .map(|segment| {
            let rows = segment.rows.len();
            let queries = queries.narrow(0, segment.rows.start, rows)?.contiguous()?;
            let queries = queries.reshape((rows, heads, shape.key_size))?;
            let slots: Vec<u32> = segment
                .table
                .iter()
                .flat_map(|run| {
                    (0..run.tokens).map(|place| run.block * block_tokens as u32 + place)
                })
                .collect();
            let (keys, values) = kv_slots.gather(&slots)?;
            one_segment(&queries, &keys, &values, (rule, &segment.both_ways))
        })
        .collect::<Result<Vec<_>>>()?;
    if outputs.is_empty() {
        let shape = (0, heads * shape.value_size);
        return Tensor::zeros(shape, projected.dtype(), projected.device());
    }
    Tensor::cat(&outputs, 0)
}

fn one_segment(
    queries: &Tensor,
    keys: &Tensor,
    values: &Tensor,
    (rule, both_ways): (&AttentionRule, &[Range<usize>]),
) -> Result<Tensor> {
    let (rows, heads, head_size) = queries.dims3()?;
    let (tokens, key_heads, _) = keys.dims3()?;
    let device = queries.device();
    let group = heads / key_heads;
    // (key heads, group × rows, head size): the group shares its keys within one product.
    let queries = queries
        .reshape((rows, key_heads, group, head_size))?
        .permute((1, 2, 0, 3))?
        .reshape((key_heads, group * rows, head_size))?;
    let keys = keys.permute((1, 2, 0))?.contiguous()?;
    let values = values.transpose(0, 1)?.contiguous()?;

    let mut scores = (queries.matmul(&keys)?.to_dtype(DType::F32)? * rule.scale)?;
    if let Some(cap) = rule.score_soft_cap {
        scores = soft_cap(&scores, cap)?;
    }
    let first = tokens - rows;
    let table = |of: &dyn Fn(usize, usize) -> f32| {
        let numbers: Vec<f32> = (first..tokens)
            .flat_map(|query| (0..tokens).map(move |key| (query, key)))
            .map(|(query, key)| of(query, key))
            .collect();
        Tensor::from_vec(numbers, (1, 1, rows, tokens), device)
    };
    let per_head =
        |numbers: &[f32]| Tensor::new(numbers, device)?.reshape((key_heads, group, 1, 1));
    let mut scores = scores.reshape((key_heads, group, rows, tokens))?;
    if let Some(slopes) = &rule.position_slopes {
        let biases = (0..heads)
            .map(|head| {
                let bias = |query, key| slopes.of_row(head, query, rule.scale).bias(key as f32);
                table(&bias)
            })
            .collect::<Result<Vec<_>>>()?;
        let biases = Tensor::cat(&biases, 0)?.reshape((key_heads, group, rows, tokens))?;
        scores = (scores + biases)?;
    }
    let mask = table(&|query, key| {
        if rule.visible(query, both_ways).contains(&key) { 0.0 } else { f32::NEG_INFINITY }
    })?;
    scores = scores.broadcast_add(&mask)?;
    let weights = match &rule.sinks {
        None => candle_nn::ops::softmax(&scores, D::Minus1)?,
        Some(sinks) => {
            let sinks = per_head(sinks)?.broadcast_as((key_heads, group, rows, 1))?;
            let all = Tensor::cat(&[&scores, &sinks.contiguous()?], D::Minus1)?;
            candle_nn::ops::softmax(&all, D::Minus1)?.narrow(D::Minus1, 0, tokens)?
        }
    };
    let value_size = values.dim(2)?;
    weights
        .reshape((key_heads, group * rows, tokens))?
        .to_dtype(values.dtype())?
        .matmul(&values)?
        .reshape((key_heads, group, rows, value_size))?
        .permute((2, 0, 1, 3))?
        .reshape((rows, heads * value_size))
}
