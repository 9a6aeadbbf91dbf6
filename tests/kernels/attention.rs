//! `paged_attention.cu`, `merge_attention.cu`, and `rotary_kv.cu` where it keeps keys and values.

use candle_core::{DType, Device, Tensor};
use surprisal::ops::attention::schedule::{Item, Schedule};
use surprisal::ops::attention::tiling::{BlockShape, TILINGS, Tiling};
use surprisal::ops::attention::{
    AttentionRule, PositionSlopes, Run, Segment, SlopeRounding, attention,
};
use surprisal::ops::kv::{KvLayer, KvShape};

use super::emulator::{self, Launch};
use super::number::{self, assert_close, made_up, poison, tensor};

const BLOCK_TOKENS: usize = 16;

/// A batch whose keys and values are kept, on the CPU and as a device keeps them.
struct Batch {
    dtype: DType,
    shape: KvShape,
    heads: usize,
    segments: Vec<Segment>,
    /// `(rows, width)`: queries, keys, values.
    projected: Tensor,
    kept: KvLayer,
    keys: Vec<u8>,
    values: Vec<u8>,
}

/// Numbers from one head's to the next's, where a head has `size`.
fn stride(size: usize, dtype: DType) -> usize {
    size.next_multiple_of(16 / dtype.size_in_bytes())
}

impl Batch {
    /// Sequences of (tokens, rows), the first `shared` tokens of all in common. Every sequence has
    /// blocks of its own after them.
    fn new(
        dtype: DType,
        (shape, heads): (KvShape, usize),
        sequences: &[(usize, usize)],
        shared: usize,
    ) -> Self {
        let runs = |tokens: usize, next: &mut u32| -> Vec<Run> {
            let blocks = (0..tokens).step_by(BLOCK_TOKENS);
            blocks
                .map(|first| {
                    *next += 1;
                    // Blocks are not in order: slots must not be taken for positions.
                    let block = *next ^ 1;
                    Run { block, tokens: (tokens - first).min(BLOCK_TOKENS) as u32 }
                })
                .collect()
        };
        let mut next = 1;
        let prefix = runs(shared, &mut next);
        let mut segments = Vec::new();
        let mut row = 0;
        for &(tokens, rows) in sequences {
            let own = runs(tokens - shared, &mut next);
            let table = [prefix.clone(), own].concat();
            segments.push(Segment::causal(row..row + rows, table));
            row += rows;
        }
        let blocks = next as usize + 2;
        let width = heads * shape.key_size + shape.heads * (shape.key_size + shape.value_size);
        let mut kept = KvLayer::new(shape, BLOCK_TOKENS, &Device::Cpu, DType::F32).unwrap();
        kept.grow(blocks).unwrap();
        let slots = blocks * BLOCK_TOKENS;
        let key_numbers = slots * shape.heads * stride(shape.key_size, dtype);
        let value_numbers = slots * shape.heads * stride(shape.value_size, dtype);
        let (mut keys, mut values) = (poison(key_numbers, dtype), poison(value_numbers, dtype));
        let mut projected = Vec::new();
        for (index, segment) in segments.iter().enumerate() {
            let slots: Vec<u32> = segment
                .table
                .iter()
                .flat_map(|run| {
                    let first = run.block * BLOCK_TOKENS as u32;
                    first..first + run.tokens
                })
                .collect();
            // What is shared is the same in all sequences.
            let mut numbers = made_up(slots.len() * width, 9 + index as u64, dtype);
            let common = made_up(shared * width, 5, dtype);
            numbers[..common.len()].copy_from_slice(&common);
            let all = tensor(&numbers, (slots.len(), width));
            kept.write(&all, heads * shape.key_size, &slots).unwrap();
            let buffers = keep(dtype, shape, heads, &numbers, &slots, [keys, values]);
            [keys, values] = buffers;
            let first = (slots.len() - segment.rows.len()) * width;
            projected.extend_from_slice(&numbers[first..]);
        }
        let projected = tensor(&projected, (row, width));
        Self { dtype, shape, heads, segments, projected, kept, keys, values }
    }

    /// As the CPU computes it.
    fn wanted(&self, rule: &AttentionRule) -> Vec<f32> {
        let output = attention(&self.projected, self.heads, &self.segments, &self.kept, rule);
        output.unwrap().flatten_all().unwrap().to_vec1().unwrap()
    }

    /// As the kernels compute it.
    fn found(&self, rule: &AttentionRule) -> Vec<f32> {
        let Self { dtype, shape, heads, .. } = *self;
        let tiling = Tiling::of(dtype, shape).unwrap();
        let group = heads / shape.heads;
        let schedule = Schedule::new(&self.segments, BLOCK_TOKENS, group, tiling.prefill.rows);
        let (rows, parts) = (schedule.positions.len(), schedule.parts());
        let mut output = poison(rows * heads * shape.value_size, dtype);
        let mut partials = poison(parts * heads * shape.value_size, DType::F32);
        let mut partial_lses = poison(parts * heads, DType::F32);
        for (kind, items, block) in [
            ("prefill", &schedule.prefill, tiling.prefill),
            ("decode", &schedule.decode, tiling.decode),
        ] {
            if !items.is_empty() {
                let name = format!("attention_{kind}_{}", tiling.suffix());
                let launch = self.launch(&name, items, block, &schedule, rule);
                let launch = launch.buffer(output).buffer(partials).buffer(partial_lses);
                let buffers = self.with_rule(launch, rule).run();
                let outputs = buffers.into_iter().rev().take(3).collect::<Vec<_>>();
                [partial_lses, partials, output] = outputs.try_into().unwrap();
            }
        }
        if parts > 0 {
            let name = format!("merge_attention_{}", dtype.as_str());
            output = Launch::new(name, (rows, heads), 64)
                .buffer(partials)
                .buffer(partial_lses)
                .words(&schedule.splits)
                .optional(rule.sinks.as_deref(), DType::F32)
                .buffer(output)
                .value(shape.value_size as u32)
                .run()
                .pop()
                .unwrap();
        }
        number::numbers(&output, dtype)
    }

    fn launch(
        &self,
        name: &str,
        items: &[Item],
        block: BlockShape,
        schedule: &Schedule,
        rule: &AttentionRule,
    ) -> Launch {
        let projected: Vec<f32> = self.projected.flatten_all().unwrap().to_vec1().unwrap();
        let items: Vec<u32> = items
            .iter()
            .flat_map(|item| {
                let Item { first_row, first_stacked, stacked, first_slot, .. } = *item;
                let keys = [item.first_key, item.end_key, item.split, 0];
                [[first_row, first_stacked, stacked, first_slot], keys].concat()
            })
            .collect();
        let slopes = rule.position_slopes.as_ref().map(|slopes| slopes.per_head.as_slice());
        Launch::new(name, (items.len() / 8, self.shape.heads), block.threads)
            .numbers(&projected, self.dtype)
            .buffer(self.keys.as_slice())
            .buffer(self.values.as_slice())
            .words(&schedule.positions)
            .words(&schedule.spans)
            .words(&schedule.slots)
            .words(&schedule.splits)
            .words(&items)
            .optional(slopes, DType::F32)
            .optional(rule.sinks.as_deref(), DType::F32)
    }

    fn with_rule(&self, launch: Launch, rule: &AttentionRule) -> Launch {
        let Self { dtype, shape: KvShape { heads, key_size, value_size }, .. } = *self;
        let width = self.projected.dim(1).unwrap();
        let shape = [self.heads, heads, key_size, value_size];
        let strides = [stride(key_size, dtype), stride(value_size, dtype), width];
        let words: Vec<u32> = shape.iter().chain(&strides).map(|&number| number as u32).collect();
        let bf16_slopes = rule
            .position_slopes
            .as_ref()
            .is_some_and(|slopes| slopes.rounding == SlopeRounding::Bf16);
        let rule = [
            (rule.scale as f32).to_bits(),
            rule.score_soft_cap.map_or(0.0, |cap| cap as f32).to_bits(),
            rule.window_tokens.unwrap_or(0) as u32,
            u32::from(bf16_slopes),
        ];
        launch.values(&words).values(&rule)
    }
}

/// Keeps the keys and values of rows without rotating them.
fn keep(
    dtype: DType,
    shape: KvShape,
    heads: usize,
    numbers: &[f32],
    slots: &[u32],
    [keys, values]: [Vec<u8>; 2],
) -> [Vec<u8>; 2] {
    let KvShape { heads: key_heads, key_size, value_size } = shape;
    let width = heads * key_size + key_heads * (key_size + value_size);
    let words = [
        heads,
        key_heads,
        key_size,
        value_size,
        stride(key_size, dtype),
        stride(value_size, dtype),
        width,
        0,
        0,
    ];
    let name = format!("rotary_kv_{}", dtype.as_str());
    let buffers = Launch::new(name, (slots.len(), 1), 64)
        .numbers(numbers, dtype)
        .optional(None, DType::F32)
        .optional(None, DType::F32)
        .optional(None, DType::U32)
        .words(slots)
        .buffer(keys)
        .buffer(values)
        .values(&words.map(|word| word as u32))
        .run();
    let [_, _, keys, values] = <[Vec<u8>; 4]>::try_from(buffers).unwrap();
    [keys, values]
}

/// Weights are rounded before they meet the values.
fn tolerance(dtype: DType) -> f32 {
    2.0 * number::rounding(dtype)
}

fn plain() -> AttentionRule {
    AttentionRule { scale: 0.4, ..AttentionRule::default() }
}

#[test]
fn block_shapes_are_those_of_the_kernels() {
    if !emulator::is_there() {
        return;
    }
    let mut known: Vec<String> = TILINGS
        .iter()
        .flat_map(|tiling| {
            [("prefill", tiling.prefill), ("decode", tiling.decode)].map(|(kind, block)| {
                let BlockShape { rows, threads, shared_bytes } = block;
                format!("attention_{kind}_{} {rows} {threads} {shared_bytes}", tiling.suffix())
            })
        })
        .collect();
    known.sort();
    let listed = emulator::tilings();
    let mut listed: Vec<&str> = listed.lines().collect();
    listed.sort_unstable();
    assert_eq!(known, listed);
    // What the smallest of the GPUs that are supported gives a block.
    assert!(
        TILINGS
            .iter()
            .all(|tiling| tiling.prefill.shared_bytes.max(tiling.decode.shared_bytes) <= 99 << 10)
    );
}

#[test]
fn every_size_and_type_equals_the_cpu() {
    if !emulator::is_there() {
        return;
    }
    let sizes =
        [(64, 64), (80, 80), (112, 112), (128, 128), (192, 128), (256, 256), (20, 36), (9, 7)];
    for dtype in number::TYPES {
        for (index, (key_size, value_size)) in sizes.into_iter().enumerate() {
            let (key_heads, group) = [(1, 3), (2, 1), (1, 8), (2, 2)][index % 4];
            let shape = KvShape { heads: key_heads, key_size, value_size };
            let heads = key_heads * group;
            // Many rows with and without context, one row, a short segment, one computed in parts.
            let sequences = [(41, 41), (1, 1), (90, 30), (70, 1), (19, 2), (300, 1)];
            let batch = Batch::new(dtype, (shape, heads), &sequences, 0);
            let what = format!("{dtype:?} {shape:?} × {group}");
            assert_close(&batch.found(&plain()), &batch.wanted(&plain()), tolerance(dtype), &what);
        }
    }
}

#[test]
fn every_rule_equals_the_cpu() {
    if !emulator::is_there() {
        return;
    }
    let shape = KvShape { heads: 2, key_size: 32, value_size: 48 };
    let sloping = |rounding| {
        let per_head = vec![0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015_625];
        let position_slopes = Some(PositionSlopes { per_head, rounding });
        AttentionRule { position_slopes, ..plain() }
    };
    let rules = [
        AttentionRule { window_tokens: Some(3), ..plain() },
        AttentionRule { window_tokens: Some(70), ..plain() },
        AttentionRule { window_tokens: Some(1), score_soft_cap: Some(0.7), ..plain() },
        AttentionRule { score_soft_cap: Some(0.7), ..plain() },
        AttentionRule { sinks: Some(vec![0.5, -1.0, 2.0, 0.0, 9.0, -9.0]), ..plain() },
        sloping(SlopeRounding::Exact),
        sloping(SlopeRounding::Bf16),
    ];
    for dtype in number::TYPES {
        let sequences = [(90, 25), (530, 1), (33, 1)];
        let batch = Batch::new(dtype, (shape, 6), &sequences, 0);
        for rule in &rules {
            let what = format!("{dtype:?} {rule:?}");
            assert_close(&batch.found(rule), &batch.wanted(rule), tolerance(dtype), &what);
        }
    }
}

#[test]
fn rows_that_see_each_other_both_ways_equal_the_cpu() {
    if !emulator::is_there() {
        return;
    }
    let rules = [
        plain(),
        AttentionRule { window_tokens: Some(1), ..plain() },
        AttentionRule { window_tokens: Some(7), score_soft_cap: Some(0.7), ..plain() },
        AttentionRule { window_tokens: Some(70), ..plain() },
    ];
    // Spans side by side, apart, longer than a tile, and at the end of rows that are computed in parts.
    let sequences = [(90, 60), (300, 299), (530, 2), (33, 2), (41, 41), (77, 1)];
    let spans: [&[(usize, usize)]; 6] = [
        &[(30, 31), (35, 50), (50, 81)],
        &[(1, 3), (4, 299)],
        &[(528, 530)],
        &[(31, 33)],
        &[(0, 41)],
        &[],
    ];
    for dtype in number::TYPES {
        for (key_size, value_size, group) in [(32, 48, 3), (72, 72, 1), (256, 256, 2)] {
            let shape = KvShape { heads: 2, key_size, value_size };
            let mut batch = Batch::new(dtype, (shape, 2 * group), &sequences, 0);
            for (segment, spans) in batch.segments.iter_mut().zip(spans) {
                segment.both_ways = spans.iter().map(|&(start, end)| start..end).collect();
            }
            for rule in &rules {
                let what = format!("{dtype:?} {shape:?} {rule:?}");
                assert_close(&batch.found(rule), &batch.wanted(rule), tolerance(dtype), &what);
            }
        }
    }
}

#[test]
fn a_shared_beginning_changes_no_bits() {
    if !emulator::is_there() {
        return;
    }
    let shape = KvShape { heads: 1, key_size: 64, value_size: 64 };
    for dtype in [DType::F32, DType::BF16] {
        let sequences = [(520, 1), (600, 1), (513, 1), (700, 1)];
        let together = Batch::new(dtype, (shape, 5), &sequences, 512);
        let items = Schedule::new(&together.segments, BLOCK_TOKENS, 5, 64).decode;
        assert!(items.iter().any(|item| item.stacked == 16), "nothing is shared");
        let found = together.found(&plain());
        assert_close(&found, &together.wanted(&plain()), tolerance(dtype), "together");
        let width = 5 * shape.value_size;
        for row in 0..sequences.len() {
            let segment = Segment { rows: 0..1, ..together.segments[row].clone() };
            let alone = Batch {
                segments: vec![segment],
                projected: together.projected.narrow(0, row, 1).unwrap(),
                keys: together.keys.clone(),
                values: together.values.clone(),
                kept: KvLayer::new(shape, BLOCK_TOKENS, &Device::Cpu, DType::F32).unwrap(),
                ..together
            };
            let alone = alone.found(&plain());
            assert_eq!(alone, found[row * width..(row + 1) * width], "row {row}");
        }
    }
}
