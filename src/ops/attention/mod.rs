//! Causal attention over kept keys and values.
//!
//! A batch holds stretches of many sequences one after another. Each names, as a table of blocks,
//! the tokens it may see, so sequences that share a beginning share its keys and values, nothing is
//! padded and no sequence can see another. Heads are grouped: several query heads share one key and
//! value head, which is never repeated in memory.

mod reference;

use std::ops::Range;

use candle_core::{Result, Tensor};

use super::kv::{KvLayer, Memory};

/// Tokens that lie at the beginning of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The block.
    pub block: u32,
    /// How many of its tokens are meant, from its first.
    pub tokens: u32,
}

/// A stretch of consecutive tokens of one sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Its rows in the batch.
    pub rows: Range<usize>,
    /// The sequence's tokens from position 0 up to and including the last row, in order.
    pub table: Vec<Run>,
}

impl Segment {
    /// How many tokens its last row sees, without a window.
    pub fn tokens(&self) -> usize {
        self.table.iter().map(|run| run.tokens as usize).sum()
    }
}

/// What an attention layer computes besides softmax(q · k) · v.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttentionRule {
    /// Factor on query · key.
    pub scale: f64,
    /// A token sees itself and the `window − 1` tokens before it; `None` for all.
    pub window_tokens: Option<usize>,
    /// `cap · tanh(score / cap)` on the scaled scores.
    pub score_soft_cap: Option<f64>,
    /// Per query head: added to a score, times key position − query position (ALiBi, Press et al.
    /// 2021).
    pub position_slopes: Option<Vec<f32>>,
    /// Per query head: a logit that takes its share of the softmax and has no value (attention
    /// sink).
    pub sinks: Option<Vec<f32>>,
}

impl AttentionRule {
    /// The keys that the token at `position` sees.
    fn visible(&self, position: usize) -> Range<usize> {
        let end = position + 1;
        self.window_tokens.map_or(0, |window| end.saturating_sub(window))..end
    }
}

/// Attends to `kept`, whose layer already holds every row's own keys and values.
///
/// `projected` is `(rows, width)`; a row begins with its queries, `heads` of them. The result is
/// `(rows, heads × value size)`.
pub fn attention(
    projected: &Tensor,
    heads: usize,
    segments: &[Segment],
    kept: &KvLayer,
    rule: &AttentionRule,
) -> Result<Tensor> {
    check(projected, heads, segments, kept, rule)?;
    match &kept.memory {
        Memory::Host(_) => candle_core::bail!("not there"),
        Memory::Device(slots) => reference::attention(
            projected,
            heads,
            segments,
            (slots, kept.shape, kept.block_tokens),
            rule,
        ),
    }
}

/// Refuses segments and rules that do not fit the batch and the layer.
fn check(
    projected: &Tensor,
    heads: usize,
    segments: &[Segment],
    kept: &KvLayer,
    rule: &AttentionRule,
) -> Result<()> {
    let (rows, width) = projected.dims2()?;
    let shape = kept.shape;
    if heads == 0 || !heads.is_multiple_of(shape.heads.max(1)) || width < heads * shape.key_size {
        candle_core::bail!("{heads} query heads do not fit a row of {width} numbers and {shape:?}")
    }
    for per_head in [&rule.position_slopes, &rule.sinks].into_iter().flatten() {
        if per_head.len() != heads {
            candle_core::bail!("an attention rule for {} heads, not {heads}", per_head.len())
        }
    }
    let blocks = kept.blocks();
    let mut next_row = 0;
    for segment in segments {
        let runs_fit = segment
            .table
            .iter()
            .all(|run| run.tokens as usize <= kept.block_tokens && (run.block as usize) < blocks);
        if segment.rows.start != next_row
            || segment.rows.end < next_row
            || segment.tokens() < segment.rows.len()
            || !runs_fit
        {
            candle_core::bail!("a segment does not fit the batch: rows {:?}", segment.rows)
        }
        next_row = segment.rows.end;
    }
    if next_row != rows {
        candle_core::bail!("segments cover {next_row} of {rows} rows")
    }
    Ok(())
}
