//! Causal attention over packed segments.
//!
//! A batch holds the rows of many sequences one after another. Each segment brings its own keys and
//! values, earlier tokens first, so nothing is padded and no sequence can see another. Heads are
//! grouped: several query heads share one key and value head, which is never repeated in memory.

mod reference;
mod rows;

use std::ops::Range;

use candle_core::{DType, Result, Tensor};

/// What one sequence brings to a batch.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its rows in the batch: the newest tokens of the sequence.
    pub rows: Range<usize>,
    /// `(tokens, key/value heads, head size)`, all tokens up to and including those rows.
    pub keys: Tensor,
    /// As `keys`.
    pub values: Tensor,
}

/// What an attention layer computes besides softmax(q · k) · v.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionRule {
    /// Factor on query · key.
    pub scale: f64,
    /// A token sees itself and the `window − 1` tokens before it; `None` for all.
    pub window_tokens: Option<usize>,
    /// `cap · tanh(score / cap)` on the scaled scores.
    pub score_soft_cap: Option<f64>,
}

impl AttentionRule {
    /// The keys that the token at `position` sees.
    fn visible(&self, position: usize) -> Range<usize> {
        let end = position + 1;
        self.window_tokens.map_or(0, |window| end.saturating_sub(window))..end
    }
}

/// Attends every row of `queries`, `(rows, heads, head size)`, to the keys of its segment.
///
/// The segments cover the rows in order. The result has the shape of `queries`.
pub fn attention(queries: &Tensor, segments: &[Segment], rule: AttentionRule) -> Result<Tensor> {
    let (rows, heads, head_size) = queries.dims3()?;
    let mut next_row = 0;
    for segment in segments {
        let (tokens, key_heads, key_size) = segment.keys.dims3()?;
        if segment.rows.start != next_row
            || tokens < segment.rows.len()
            || !heads.is_multiple_of(key_heads.max(1))
            || key_size != head_size
            || segment.values.dims() != segment.keys.dims()
        {
            candle_core::bail!("a segment does not fit the queries: {:?}", segment.rows)
        }
        next_row = segment.rows.end;
    }
    if next_row != rows {
        candle_core::bail!("segments cover {next_row} of {rows} rows")
    }
    if queries.device().is_cpu() && queries.dtype() == DType::F32 {
        rows::attention(queries, segments, rule)
    } else {
        reference::attention(queries, segments, rule)
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    fn numbers(shape: (usize, usize, usize), seed: usize) -> Tensor {
        let values = (0..shape.0 * shape.1 * shape.2)
            .map(|i| (((i + 1) * (seed + 3) * 7919) % 65_521) as f32 / 32_760.5 - 1.0)
            .collect();
        Tensor::from_vec(values, shape, &Device::Cpu).unwrap()
    }

    fn segment(rows: Range<usize>, tokens: usize, seed: usize) -> Segment {
        let shape = (tokens, 2, 20);
        Segment { rows, keys: numbers(shape, seed), values: numbers(shape, seed + 9) }
    }

    #[test]
    fn the_fast_way_equals_the_reference() {
        let queries = numbers((12, 6, 20), 5);
        let segments = [segment(0..5, 5, 1), segment(5..6, 40, 2), segment(6..12, 11, 3)];
        for window_tokens in [None, Some(3)] {
            for score_soft_cap in [None, Some(0.7)] {
                let rule = AttentionRule { scale: 0.3, window_tokens, score_soft_cap };
                let fast = rows::attention(&queries, &segments, rule).unwrap();
                let plain = reference::attention(&queries, &segments, rule).unwrap();
                let furthest = (fast - plain).unwrap().abs().unwrap().max_all().unwrap();
                assert!(furthest.to_scalar::<f32>().unwrap() < 2e-6, "{rule:?}");
            }
        }
    }

    #[test]
    fn a_rows_bits_depend_on_its_own_sequence_alone() {
        let queries = numbers((12, 6, 20), 5);
        let rule = AttentionRule { scale: 0.3, window_tokens: None, score_soft_cap: None };
        let last = segment(6..12, 11, 3);
        let segments = [segment(0..6, 8, 1), last.clone()];
        let packed = attention(&queries, &segments, rule).unwrap();
        let packed = packed.get(11).unwrap().to_vec2::<f32>().unwrap();
        let alone = Segment { rows: 0..1, ..last };
        let alone = attention(&queries.narrow(0, 11, 1).unwrap(), &[alone], rule).unwrap();
        assert_eq!(alone.get(0).unwrap().to_vec2::<f32>().unwrap(), packed);
    }

    #[test]
    fn segments_that_do_not_fit_are_errors() {
        let queries = numbers((4, 6, 20), 5);
        let rule = AttentionRule { scale: 1.0, window_tokens: None, score_soft_cap: None };
        assert!(attention(&queries, &[segment(0..3, 3, 1)], rule).is_err());
        assert!(attention(&queries, &[segment(0..4, 3, 1)], rule).is_err());
        assert!(attention(&queries, &[segment(1..4, 3, 1)], rule).is_err());
    }
}
