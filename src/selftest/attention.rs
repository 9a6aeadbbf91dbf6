//! Attention over kept keys and values: segments, shared beginnings, and all that a rule can say.

use candle_core::{Result, Tensor};

use super::inputs::{HostAndDevice, Operation, TestInputs};
use crate::ops::{
    attention::{AttentionRule, PositionSlopes, Run, Segment, SlopeRounding, attention},
    kv::{KvLayer, KvShape},
};

const BLOCK_TOKENS: usize = 32;

/// The heads of a layer.
#[derive(Clone, Copy)]
struct Heads {
    query: usize,
    key: usize,
    key_size: usize,
    value_size: usize,
}

/// Sequences of a batch: tokens that all share, then for each how many it has kept of its own and how
/// many rows the batch adds.
#[derive(Clone, Copy)]
struct Sequences {
    shared: usize,
    own: &'static [(usize, usize)],
    /// Whether the rows of a sequence, but its first and its last, see each other both ways.
    both_ways: bool,
}

const ONE: Sequences = Sequences { shared: 0, own: &[(0, 70)], both_ways: false };
const MANY: Sequences =
    Sequences { shared: 45, own: &[(0, 1), (7, 33), (64, 2), (0, 129), (3, 17)], both_ways: false };
/// One row each, after long beginnings.
const CONTINUED: Sequences =
    Sequences { shared: 600, own: &[(5, 1), (100, 1), (0, 1)], both_ways: false };
/// Images within text, and one behind a long beginning.
const IMAGES: Sequences =
    Sequences { shared: 300, own: &[(0, 140), (9, 31), (1, 4)], both_ways: true };

const EVEN: Heads = Heads { query: 4, key: 2, key_size: 64, value_size: 64 };

/// The cases.
pub(super) fn cases() -> Vec<Operation> {
    let plain = |heads: Heads| AttentionRule {
        scale: (heads.key_size as f64).powf(-0.5),
        ..AttentionRule::default()
    };
    let operation = |name,
                     heads: Vec<Heads>,
                     sequences: Vec<Sequences>,
                     rule: fn(AttentionRule) -> AttentionRule| {
        let pairs = heads.into_iter().flat_map(|heads| {
            sequences.clone().into_iter().map(move |sequences| (heads, sequences))
        });
        let cases = pairs.map(|(heads, sequences)| {
            let rule = rule(plain(heads));
            Box::new(move |inputs: &mut TestInputs<'_>| case(inputs, heads, sequences, &rule))
                as super::inputs::Case
        });
        Operation { name, cases: cases.collect() }
    };
    let all = || vec![ONE, MANY, CONTINUED];
    let sizes = [16, 40, 64, 80, 96, 112, 128, 192, 256];
    let sizes = sizes.map(|size| Heads { query: 2, key: 1, key_size: size, value_size: size });
    let images = || vec![Sequences { both_ways: true, ..MANY }, IMAGES];
    let both_ways = [32, 72, 256].map(|size| Heads { key_size: size, value_size: size, ..EVEN });
    let shared = [(1, 1), (8, 1), (8, 8), (14, 2)].map(|(query, key)| Heads { query, key, ..EVEN });
    let latent = Heads { query: 4, key: 4, key_size: 24, value_size: 16 };
    let wide = Heads { query: 2, key: 2, key_size: 192, value_size: 128 };
    vec![
        operation("attention, head sizes", sizes.to_vec(), all(), |rule| rule),
        operation("attention, grouped heads", shared.to_vec(), all(), |rule| rule),
        operation("attention, latent sizes", vec![latent, wide], all(), |rule| rule),
        operation("attention, window", vec![EVEN], all(), |rule| AttentionRule {
            window_tokens: Some(19),
            ..rule
        }),
        operation("attention, both ways", both_ways.to_vec(), images(), |rule| rule),
        operation("attention, both ways in a window", both_ways.to_vec(), images(), |rule| {
            AttentionRule { window_tokens: Some(19), ..rule }
        }),
        operation("attention, soft cap", vec![EVEN], all(), |rule| AttentionRule {
            score_soft_cap: Some(1.5),
            ..rule
        }),
        operation("attention, slopes", vec![EVEN], all(), |rule| AttentionRule {
            position_slopes: Some(PositionSlopes {
                per_head: vec![0.5, 0.25, 0.125, 0.0625],
                rounding: SlopeRounding::Exact,
            }),
            ..rule
        }),
        operation("attention, rounded slopes", vec![EVEN], all(), |rule| AttentionRule {
            position_slopes: Some(PositionSlopes {
                per_head: vec![0.5, 0.25, 0.125, 0.0625],
                rounding: SlopeRounding::Bf16,
            }),
            ..rule
        }),
        operation("attention, sinks", vec![EVEN], all(), |rule| AttentionRule {
            sinks: Some(vec![0.7, -1.0, 2.0, 0.0]),
            window_tokens: Some(40),
            ..rule
        }),
    ]
}

/// Keeps every token's keys and values on both, then attends with the rows of the batch.
fn case(
    inputs: &mut TestInputs<'_>,
    heads: Heads,
    sequences: Sequences,
    rule: &AttentionRule,
) -> Result<HostAndDevice<Tensor>> {
    let shape =
        KvShape { heads: heads.key, key_size: heads.key_size, value_size: heads.value_size };
    let query_width = heads.query * heads.key_size;
    let width = query_width + heads.key * (heads.key_size + heads.value_size);
    let layout = Layout::new(sequences);
    let cached = inputs.tensor((layout.slots.len(), width), 1.0)?;
    let rows: usize = sequences.own.iter().map(|(_, rows)| rows).sum();
    let queries = inputs.tensor((rows, query_width), 2.0)?;
    let attended = |cached: &Tensor, queries: &Tensor| {
        let mut layer = KvLayer::new(shape, BLOCK_TOKENS, cached.device(), cached.dtype())?;
        layer.grow(layout.blocks)?;
        layer.write(cached, query_width, &layout.slots)?;
        attention(queries, heads.query, &layout.segments, &layer, rule)
    };
    Ok(HostAndDevice {
        host: attended(&cached.host, &queries.host)?,
        device: attended(&cached.device, &queries.device)?,
    })
}

/// Where every token is kept.
struct Layout {
    /// Of each token, shared ones first.
    slots: Vec<u32>,
    segments: Vec<Segment>,
    blocks: usize,
}

impl Layout {
    fn new(Sequences { shared, own, both_ways }: Sequences) -> Self {
        let (mut slots, mut blocks) = (Vec::new(), 0);
        let mut place = |tokens: usize| {
            let runs: Vec<Run> = (0..tokens)
                .step_by(BLOCK_TOKENS)
                .map(|first| {
                    let tokens = BLOCK_TOKENS.min(tokens - first) as u32;
                    // Blocks are not in the order of their tokens.
                    let block = (blocks ^ 1) as u32;
                    blocks += 1;
                    slots.extend((0..tokens).map(|token| block * BLOCK_TOKENS as u32 + token));
                    Run { block, tokens }
                })
                .collect();
            runs
        };
        let beginning = place(shared);
        let mut first_row = 0;
        let segments = own
            .iter()
            .map(|&(cached, rows)| {
                let table = [beginning.clone(), place(cached + rows)].concat();
                let mut segment = Segment::causal(first_row..first_row + rows, table);
                if both_ways && rows > 3 {
                    let first = shared + cached;
                    segment.both_ways.push(first + 1..first + rows - 1);
                }
                first_row += rows;
                segment
            })
            .collect();
        Self { slots, segments, blocks: blocks + 1 }
    }
}
