//! Attention on the CPU, one row at a time.
//!
//! Each query row and head walks its keys in order. Rows are independent, so they are spread over
//! the cores, and a row's result has the same bits in any batch and with any number of threads.

use std::ops::Range;

use candle_core::{Result, Tensor};
use rayon::prelude::*;

use super::{AttentionRule, Segment};
use crate::ops::host;

/// Numbers that are summed side by side; enough to fill the widest vector registers.
const LANES: usize = 16;

/// Keys and values of one segment.
struct Sequence<'a> {
    rows: Range<usize>,
    tokens: usize,
    keys: &'a [f32],
    values: &'a [f32],
}

/// As [`super::attention`], for f32 tensors in host memory.
pub(super) fn attention(
    queries: &Tensor,
    segments: &[Segment],
    rule: AttentionRule,
) -> Result<Tensor> {
    let (_, heads, head_size) = queries.dims3()?;
    let queries = queries.contiguous()?;
    let (query_storage, query_layout) = queries.storage_and_layout();
    let query_numbers = host::slice(&query_storage, query_layout)?;

    let contiguous = segments
        .iter()
        .map(|segment| Ok((segment.keys.contiguous()?, segment.values.contiguous()?)))
        .collect::<Result<Vec<_>>>()?;
    let storages: Vec<_> = contiguous
        .iter()
        .map(|(keys, values)| (keys.storage_and_layout(), values.storage_and_layout()))
        .collect();
    let sequences = segments
        .iter()
        .zip(&storages)
        .map(|(segment, ((keys, key_layout), (values, value_layout)))| {
            Ok(Sequence {
                rows: segment.rows.clone(),
                tokens: segment.keys.dim(0)?,
                keys: host::slice(keys, key_layout)?,
                values: host::slice(values, value_layout)?,
            })
        })
        .collect::<Result<Vec<_>>>()?;

    let row_size = heads * head_size;
    let mut output = vec![0f32; query_numbers.len()];
    output.par_chunks_mut(row_size).enumerate().for_each_init(
        Vec::new,
        |weights, (row, output)| {
            let sequence =
                &sequences[sequences.partition_point(|sequence| sequence.rows.end <= row)];
            let queries = &query_numbers[row * row_size..(row + 1) * row_size];
            attend_row(queries, sequence, row, head_size, rule, weights, output);
        },
    );
    Tensor::from_vec(output, queries.shape(), queries.device())
}

/// All heads of one row. `weights` is scratch memory.
fn attend_row(
    queries: &[f32],
    sequence: &Sequence<'_>,
    row: usize,
    head_size: usize,
    rule: AttentionRule,
    weights: &mut Vec<f32>,
    output: &mut [f32],
) {
    let token_size = sequence.keys.len() / sequence.tokens;
    let visible = rule.visible(sequence.tokens - (sequence.rows.end - row));
    let seen = visible.start * token_size..visible.end * token_size;
    let keys = &sequence.keys[seen.clone()];
    let values = &sequence.values[seen];
    let group = queries.len() / token_size;
    let heads = queries.chunks_exact(head_size).zip(output.chunks_exact_mut(head_size));
    for (head, (query, output)) in heads.enumerate() {
        let first = head / group * head_size;
        let part = first..first + head_size;
        weights.clear();
        weights.extend(keys.chunks_exact(token_size).map(|token| {
            let score = dot(query, &token[part.clone()]) * rule.scale as f32;
            rule.score_soft_cap.map_or(score, |cap| cap as f32 * (score / cap as f32).tanh())
        }));
        let sum = exponentials(weights);
        weighted_sum(weights, values, token_size, first, output);
        for output in output {
            *output /= sum;
        }
    }
}

/// Replaces scores by exp(score − highest) and returns their sum.
fn exponentials(scores: &mut [f32]) -> f32 {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0f64;
    for score in scores {
        *score = (*score - highest).exp();
        sum += f64::from(*score);
    }
    sum as f32
}

/// Scalar product, summed in [`LANES`] partial sums that vectorise.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    let mut sums = [0f32; LANES];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Σ weight · value over the tokens, for the numbers of a token that begin at `first`.
///
/// Goes through the tokens once per block of [`LANES`] numbers, whose sums stay in registers.
fn weighted_sum(
    weights: &[f32],
    values: &[f32],
    token_size: usize,
    first: usize,
    output: &mut [f32],
) {
    let tokens = || weights.iter().zip(values.chunks_exact(token_size));
    let (blocks, rest) = output.as_chunks_mut::<LANES>();
    let rest_first = first + blocks.len() * LANES;
    for (block, start) in blocks.iter_mut().zip((first..).step_by(LANES)) {
        let mut sums = [0f32; LANES];
        for (weight, token) in tokens() {
            for (sum, value) in sums.iter_mut().zip(&token[start..start + LANES]) {
                *sum += weight * value;
            }
        }
        *block = sums;
    }
    for (weight, token) in tokens() {
        for (output, value) in rest.iter_mut().zip(&token[rest_first..]) {
            *output += weight * value;
        }
    }
}
