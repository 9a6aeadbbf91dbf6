//! Causal attention over kept keys and values.
//!
//! A batch holds stretches of many sequences one after another. Each names, as a table of blocks,
//! the tokens it may see, so sequences that share a beginning share its keys and values, nothing is
//! padded and no sequence can see another. Heads are grouped: several query heads share one key and
//! value head, which is never repeated in memory.

mod exponentials;
mod paged;
mod pass;
mod position_slopes;
mod reference;
pub mod schedule;
mod softmax;
mod table;
pub mod tiling;

use std::ops::Range;

use candle_core::{Result, Tensor};

pub use self::position_slopes::{PositionSlopes, SlopeRounding};
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
    /// Positions of tokens that see each other both ways, in order and apart. Those of one span are rows of the same pass.
    pub both_ways: Vec<Range<usize>>,
}

impl Segment {
    /// Rows of which each sees itself and what comes before it.
    pub fn causal(rows: Range<usize>, table: Vec<Run>) -> Self {
        Self { rows, table, both_ways: Vec::new() }
    }

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
    /// Scores fall with distance (`ALiBi`, Press et al. 2021).
    pub position_slopes: Option<PositionSlopes>,
    /// Per query head: a logit that takes its share of the softmax and has no value (attention
    /// sink).
    pub sinks: Option<Vec<f32>>,
}

impl AttentionRule {
    /// The keys that the token at `position` sees.
    fn visible(&self, position: usize, both_ways: &[Range<usize>]) -> Range<usize> {
        let end = position + 1;
        let start = self.window_tokens.map_or(0, |window| end.saturating_sub(window));
        match span_at(both_ways, position) {
            Some(span) => start.min(span.start)..end.max(span.end),
            None => start..end,
        }
    }
}

/// The span that a position is in.
fn span_at(both_ways: &[Range<usize>], position: usize) -> Option<&Range<usize>> {
    let after = both_ways.partition_point(|span| span.end <= position);
    both_ways.get(after).filter(|span| span.start <= position)
}

/// Attends to the keys and values of `kv_layer`, which already holds those of every row.
///
/// `projected` is `(rows, width)`; a row begins with its queries, `heads` of them. The result is
/// `(rows, heads × value size)`.
pub fn attention(
    projected: &Tensor,
    heads: usize,
    segments: &[Segment],
    kv_layer: &KvLayer,
    rule: &AttentionRule,
) -> Result<Tensor> {
    check(projected, heads, segments, kv_layer, rule)?;
    match &kv_layer.memory {
        Memory::Host(blocks) => paged::attention(
            projected,
            heads,
            segments,
            (blocks, kv_layer.shape, kv_layer.block_tokens),
            rule,
        ),
        Memory::Device(slots) => {
            #[cfg(feature = "cuda")]
            if projected.device().is_cuda() {
                let (keys, values) = slots.tensors();
                let tensors = (keys, values, kv_layer.shape, kv_layer.block_tokens);
                let attended = super::cuda::attention(projected, heads, segments, tensors, rule)?;
                if let Some(attended) = attended {
                    return Ok(attended);
                }
            }
            reference::attention(
                projected,
                heads,
                segments,
                (slots, kv_layer.shape, kv_layer.block_tokens),
                rule,
            )
        }
    }
}

/// Refuses segments and rules that do not fit the batch and the layer.
fn check(
    projected: &Tensor,
    heads: usize,
    segments: &[Segment],
    kv_layer: &KvLayer,
    rule: &AttentionRule,
) -> Result<()> {
    let (rows, width) = projected.dims2()?;
    let shape = kv_layer.shape;
    if heads == 0 || !heads.is_multiple_of(shape.heads.max(1)) || width < heads * shape.key_size {
        candle_core::bail!("{heads} query heads do not fit a row of {width} numbers and {shape:?}")
    }
    let slopes = rule.position_slopes.as_ref().map(|slopes| &slopes.per_head);
    for per_head in [slopes, rule.sinks.as_ref()].into_iter().flatten() {
        if per_head.len() != heads {
            candle_core::bail!("an attention rule for {} heads, not {heads}", per_head.len())
        }
    }
    let blocks = kv_layer.blocks();
    let mut next_row = 0;
    for segment in segments {
        let runs_fit = segment.table.iter().all(|run| {
            run.tokens as usize <= kv_layer.block_tokens && (run.block as usize) < blocks
        });
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

#[cfg(test)]
mod tests {
    use candle_core::{DType, Device};
    use proptest::prelude::*;

    use super::*;
    use crate::ops::kv::KvShape;

    const SHAPE: KvShape = KvShape { heads: 2, key_size: 20, value_size: 36 };
    const HEADS: usize = 6;
    const WIDTH: usize = HEADS * SHAPE.key_size + SHAPE.heads * (SHAPE.key_size + SHAPE.value_size);

    /// The projected row of a token: the same wherever the token stands in a batch.
    fn row(sequence: usize, position: usize) -> Vec<f32> {
        let seed = sequence * 1_000_003 + position * 7919 + 11;
        (0..WIDTH).map(|i| ((seed + i * (seed % 61 + 7)) % 2039) as f32 / 1019.5 - 1.0).collect()
    }

    /// One stretch of a sequence: its rows, and the lengths of the runs that hold them.
    struct Stretch {
        sequence: usize,
        /// Where the sequence's kept tokens stand, before this stretch and in it.
        table: Vec<Run>,
        tokens: Range<usize>,
    }

    /// A layer with unused slots that must not be read, and a batch written to it.
    fn written(
        stretches: &[Stretch],
        block_tokens: usize,
        host: bool,
    ) -> (Tensor, Vec<Segment>, KvLayer) {
        let blocks =
            stretches.iter().flat_map(|s| &s.table).map(|run| run.block as usize + 1).max();
        let blocks = blocks.unwrap_or(0);
        let mut kv_layer = KvLayer::new(SHAPE, block_tokens, &Device::Cpu, DType::F32).unwrap();
        if !host {
            kv_layer.memory = Memory::Device(
                crate::ops::kv::DeviceSlots::new(SHAPE, &Device::Cpu, DType::F32).unwrap(),
            );
        }
        kv_layer.grow(blocks).unwrap();
        let poison = Tensor::full(f32::NAN, (blocks * block_tokens, WIDTH), &Device::Cpu).unwrap();
        let slots: Vec<u32> = (0..(blocks * block_tokens) as u32).collect();
        if host {
            kv_layer.write(&poison, 0, &slots).unwrap();
        }
        let (mut numbers, mut segments, mut rows) = (Vec::new(), Vec::new(), 0);
        for stretch in stretches {
            let places: Vec<u32> = stretch
                .table
                .iter()
                .flat_map(|run| {
                    (0..run.tokens).map(|place| run.block * block_tokens as u32 + place)
                })
                .collect();
            let all: Vec<f32> = (0..places.len()).flat_map(|p| row(stretch.sequence, p)).collect();
            let all = Tensor::from_vec(all, (places.len(), WIDTH), &Device::Cpu).unwrap();
            kv_layer.write(&all, HEADS * SHAPE.key_size, &places).unwrap();
            for position in stretch.tokens.clone() {
                numbers.extend(row(stretch.sequence, position));
            }
            let end = rows + stretch.tokens.len();
            segments.push(Segment::causal(rows..end, stretch.table.clone()));
            rows = end;
        }
        (Tensor::from_vec(numbers, (rows, WIDTH), &Device::Cpu).unwrap(), segments, kv_layer)
    }

    /// Runs of these lengths, in blocks from `first` on.
    fn table(lengths: &[usize], first: u32) -> Vec<Run> {
        (first..)
            .zip(lengths)
            .map(|(block, &tokens)| Run { block, tokens: tokens as u32 })
            .collect()
    }

    fn rules() -> Vec<AttentionRule> {
        let plain = AttentionRule { scale: 0.3, ..AttentionRule::default() };
        let sloping = |rounding| {
            let per_head = vec![0.5, 0.25, 0.1, 0.05, 0.02, 0.01];
            let position_slopes = Some(PositionSlopes { per_head, rounding });
            AttentionRule { position_slopes, ..plain.clone() }
        };
        vec![
            AttentionRule { window_tokens: Some(3), ..plain.clone() },
            AttentionRule { window_tokens: Some(21), ..plain.clone() },
            AttentionRule { score_soft_cap: Some(0.7), ..plain.clone() },
            AttentionRule { sinks: Some(vec![0.5, -1.0, 2.0, 0.0, 9.0, -9.0]), ..plain.clone() },
            sloping(SlopeRounding::Exact),
            sloping(SlopeRounding::Bf16),
            plain,
        ]
    }

    fn bits(tensor: &Tensor, rows: Range<usize>) -> Vec<Vec<f32>> {
        tensor.narrow(0, rows.start, rows.len()).unwrap().to_vec2().unwrap()
    }

    #[test]
    fn the_fast_way_equals_the_reference() {
        let stretches = [
            Stretch { sequence: 1, table: table(&[16, 16, 5], 3), tokens: 0..37 },
            Stretch { sequence: 2, table: table(&[1, 16, 2, 16, 16, 7], 9), tokens: 57..58 },
            Stretch { sequence: 3, table: table(&[9], 1), tokens: 4..9 },
            Stretch { sequence: 4, table: table(&[16; 70], 20), tokens: 1090..1120 },
        ];
        for rule in rules() {
            let (projected, segments, kv_layer) = written(&stretches, 16, true);
            let fast = attention(&projected, HEADS, &segments, &kv_layer, &rule).unwrap();
            let (projected, segments, kv_layer) = written(&stretches, 16, false);
            let plain = attention(&projected, HEADS, &segments, &kv_layer, &rule).unwrap();
            let furthest = (fast - plain).unwrap().abs().unwrap().max_all().unwrap();
            assert!(furthest.to_scalar::<f32>().unwrap() < 2e-6, "{rule:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// However a sequence's tokens are laid out and packed, a row has the same bits.
        #[test]
        fn a_rows_bits_depend_on_its_own_sequence_alone(
            tokens in 1usize..90,
            cut in 0usize..90,
            lengths in prop::collection::vec(1usize..=16, 90),
            block_tokens in prop::sample::select(vec![16usize, 32, 64]),
            rule in prop::sample::select(rules()),
        ) {
            let whole = [Stretch { sequence: 1, table: table(&vec![16; tokens], 0), tokens: 0..tokens }];
            let even: Vec<usize> =
                (0..tokens).step_by(16).map(|start| (tokens - start).min(16)).collect();
            let whole = [Stretch { table: table(&even, 0), ..whole.into_iter().next().unwrap() }];
            let (projected, segments, kv_layer) = written(&whole, 16, true);
            let together = attention(&projected, HEADS, &segments, &kv_layer, &rule).unwrap();

            let mut left = tokens;
            let uneven: Vec<usize> = lengths
                .iter()
                .map(|&length| { let run = length.min(left); left -= run; run })
                .take_while(|&run| run > 0)
                .collect();
            let cut = cut.min(tokens - 1);
            let parts = [
                Stretch { sequence: 7, table: table(&[3], 100), tokens: 0..3 },
                Stretch { sequence: 1, table: table(&uneven, 0), tokens: cut..tokens },
            ];
            let (projected, segments, kv_layer) = written(&parts, block_tokens, true);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
            let packed = pool.install(|| attention(&projected, HEADS, &segments, &kv_layer, &rule)).unwrap();
            prop_assert_eq!(bits(&packed, 3..3 + tokens - cut), bits(&together, cut..tokens));
        }
    }

    #[test]
    fn long_sequences_have_the_same_bits_however_they_are_laid_out() {
        for rule in rules() {
            let even = [Stretch { sequence: 5, table: table(&[16; 70], 0), tokens: 1085..1120 }];
            let (projected, segments, kv_layer) = written(&even, 16, true);
            let together = attention(&projected, HEADS, &segments, &kv_layer, &rule).unwrap();
            let runs: Vec<usize> = (0..).map(|run| 1 + run * 7 % 16).take(132).collect();
            let left = 1120 - runs.iter().sum::<usize>().min(1120);
            assert!(left <= 64, "the runs fill the sequence");
            let runs: Vec<usize> = runs.into_iter().chain([left]).collect();
            let uneven = [Stretch { sequence: 5, table: table(&runs, 0), tokens: 1111..1120 }];
            let (projected, segments, kv_layer) = written(&uneven, 64, true);
            let apart = attention(&projected, HEADS, &segments, &kv_layer, &rule).unwrap();
            assert_eq!(bits(&apart, 0..9), bits(&together, 26..35), "{rule:?}");
        }
    }

    #[test]
    fn segments_that_do_not_fit_are_errors() {
        let rule = AttentionRule { scale: 1.0, ..AttentionRule::default() };
        let whole = [Stretch { sequence: 1, table: table(&[4], 0), tokens: 0..4 }];
        let (projected, segments, kv_layer) = written(&whole, 16, true);
        let fits = |rows: Range<usize>, table: Vec<Run>| {
            attention(&projected, HEADS, &[Segment::causal(rows, table)], &kv_layer, &rule).is_ok()
        };
        assert!(fits(0..4, segments[0].table.clone()));
        assert!(!fits(0..3, segments[0].table.clone()));
        assert!(!fits(1..4, segments[0].table.clone()));
        assert!(!fits(0..4, table(&[3], 0)));
        assert!(!fits(0..4, table(&[17], 0)));
        assert!(!fits(0..4, table(&[4], 1)));
    }
}
