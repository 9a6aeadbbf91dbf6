//! Attention over kept keys and values.

use candle_core::{CudaDevice, DType, Result, Tensor};

use super::launch::{
    Launch, MERGE_ATTENTION, PAGED_ATTENTION, address, device, optional_address, rows_of,
};
use super::pinned::send;
use super::rotary::kept_size;
use super::upload::{Sent, constant_numbers};
use crate::ops::attention::schedule::{Item, Schedule};
use crate::ops::attention::tiling::{BlockShape, Tiling};
use crate::ops::attention::{AttentionRule, Segment, SlopeRounding};
use crate::ops::kv::KvShape;

/// A schedule on the device.
#[derive(Clone)]
struct SentSchedule {
    positions: Tensor,
    spans: Tensor,
    slots: Tensor,
    splits: Tensor,
    prefill: Tensor,
    decode: Tensor,
    prefill_items: usize,
    decode_items: usize,
    parts: usize,
}

/// What a schedule is made of.
struct Made {
    segments: Vec<Segment>,
    block_tokens: usize,
    group: usize,
    tile_rows: usize,
}

static SCHEDULES: Sent<Made, SentSchedule> = Sent::new();

/// As [`crate::ops::attention::attention`], with `keys` and `values` as [`super::keep`] leaves them.
/// `None` if no kernel takes heads of this size.
pub(in crate::ops) fn attention(
    projected: &Tensor,
    heads: usize,
    segments: &[Segment],
    (keys, values, shape, block_tokens): (&Tensor, &Tensor, KvShape, usize),
    rule: &AttentionRule,
) -> Result<Option<Tensor>> {
    let dtype = keys.dtype();
    let Some(tiling) = Tiling::of(dtype, shape) else { return Ok(None) };
    let device = device(projected)?;
    let projected = projected.to_dtype(dtype)?;
    let (queries, query_stride) = rows_of(&projected)?;
    let rows = projected.dim(0)?;
    let group = heads / shape.heads;
    let sent = schedule(segments, block_tokens, group, tiling.prefill.rows, &device)?;

    let KvShape { heads: key_heads, key_size, value_size } = shape;
    // SAFETY: the kernels write every row, because segments cover the rows.
    let output = unsafe { Tensor::empty((rows, heads * value_size), dtype, projected.device()) }?;
    let partial = |numbers: usize| {
        // SAFETY: whatever is merged was written before.
        unsafe {
            Tensor::empty(sent.parts.max(1) * heads * numbers, DType::F32, projected.device())
        }
    };
    let (partials, partial_lses) = (partial(value_size)?, partial(1)?);
    let per_head = |numbers: Option<&[f32]>| {
        numbers.map(|numbers| constant_numbers(numbers, &device)).transpose()
    };
    let slopes = rule.position_slopes.as_ref();
    let slope_numbers = per_head(slopes.map(|slopes| slopes.per_head.as_slice()))?;
    let sinks = per_head(rule.sinks.as_deref())?;
    let sizes = [heads, key_heads, key_size, value_size];
    let strides = [kept_size(key_size, dtype), kept_size(value_size, dtype), query_stride];
    let sizes: Vec<u32> = sizes.into_iter().chain(strides).map(|size| size as u32).collect();
    let rounding = slopes.is_some_and(|slopes| slopes.rounding == SlopeRounding::Bf16);
    let rule_words = [
        (rule.scale as f32).to_bits(),
        rule.score_soft_cap.map_or(0.0, |cap| cap as f32).to_bits(),
        // A window of no tokens is one that nothing sees; the CPU's sees the same.
        rule.window_tokens.unwrap_or(0) as u32,
        u32::from(rounding),
    ];
    for (kind, items, count, block) in [
        ("prefill", &sent.prefill, sent.prefill_items, tiling.prefill),
        ("decode", &sent.decode, sent.decode_items, tiling.decode),
    ] {
        if count == 0 {
            continue;
        }
        let BlockShape { threads, shared_bytes, .. } = block;
        let name = format!("attention_{kind}_{}", tiling.suffix());
        let launch = Launch::new(&device, PAGED_ATTENTION, &name)?
            .address(queries)
            .address(address(keys)?)
            .address(address(values)?)
            .address(address(&sent.positions)?)
            .address(address(&sent.spans)?)
            .address(address(&sent.slots)?)
            .address(address(&sent.splits)?)
            .address(address(items)?)
            .address(optional_address(slope_numbers.as_ref())?)
            .address(optional_address(sinks.as_ref())?)
            .address(address(&output)?)
            .address(address(&partials)?)
            .address(address(&partial_lses)?)
            .words(&sizes)
            .words(&rule_words);
        // SAFETY: the caller has checked segments against rows and blocks; items, splits and slots are
        // those of the schedule, and there is room for all of its parts.
        unsafe { launch.run((count, key_heads), threads, shared_bytes) }?;
    }
    if sent.parts > 0 {
        let launch = Launch::of_type(&device, MERGE_ATTENTION, "merge_attention", dtype)?
            .address(address(&partials)?)
            .address(address(&partial_lses)?)
            .address(address(&sent.splits)?)
            .address(optional_address(sinks.as_ref())?)
            .address(address(&output)?)
            .count(value_size);
        // SAFETY: the parts are those the kernels above have written.
        unsafe { launch.run((rows, heads), 64, 0) }?;
    }
    Ok(Some(output))
}

/// The schedule of a batch, which all layers of the same shape have in common.
fn schedule(
    segments: &[Segment],
    block_tokens: usize,
    group: usize,
    tile_rows: usize,
    device: &CudaDevice,
) -> Result<SentSchedule> {
    let is_same = |made: &Made| {
        (made.block_tokens, made.group, made.tile_rows) == (block_tokens, group, tile_rows)
            && made.segments == segments
    };
    SCHEDULES.find_or_send(device, is_same, || {
        let schedule = Schedule::new(segments, block_tokens, group, tile_rows);
        let (prefill, decode) = (item_words(&schedule.prefill), item_words(&schedule.decode));
        let Schedule { positions, spans, slots, splits, .. } = &schedule;
        let lists = send(&[positions, spans, slots, splits, &prefill, &decode], device)?;
        let Ok([positions, spans, slots, splits, prefill, decode]) = <[Tensor; 6]>::try_from(lists)
        else {
            candle_core::bail!("a schedule was sent in part")
        };
        let sent = SentSchedule {
            positions,
            spans,
            slots,
            splits,
            prefill,
            decode,
            prefill_items: schedule.prefill.len(),
            decode_items: schedule.decode.len(),
            parts: schedule.parts(),
        };
        Ok((Made { segments: segments.to_vec(), block_tokens, group, tile_rows }, sent))
    })
}

fn item_words(items: &[Item]) -> Vec<u32> {
    let words = |item: &Item| {
        let Item { first_row, first_stacked, stacked, first_slot, .. } = *item;
        [first_row, first_stacked, stacked, first_slot, item.first_key, item.end_key, item.split, 0]
    };
    items.iter().flat_map(words).collect()
}
