//! Rotation, and keeping keys and values.

use candle_core::{DType, Result, Tensor};

use super::launch::{Launch, ROTARY_KV, address, device, threads_for};
use super::upload::shared_words;
use crate::ops::kv::KvShape;
use crate::ops::rotary::RotaryPairing;

/// Bytes that a kept head is a multiple of.
const HEAD_BYTES: usize = 16;

/// Numbers from one kept head of `size` to the next.
pub(in crate::ops) fn kept_size(size: usize, dtype: DType) -> usize {
    size.next_multiple_of(HEAD_BYTES / dtype.size_in_bytes().clamp(1, HEAD_BYTES))
}

/// As [`crate::ops::rotary::rotary`], in place.
pub(in crate::ops) fn rotary(
    projected: &Tensor,
    (heads, head_size): (usize, usize),
    cosines: &Tensor,
    sines: &Tensor,
    pairing: RotaryPairing,
) -> Result<Tensor> {
    let device = device(projected)?;
    let projected = projected.contiguous()?;
    let (rows, width) = projected.dims2()?;
    let pairs = cosines.dim(1)?;
    let angles = |angles: &Tensor| angles.to_dtype(DType::F32)?.contiguous();
    let (cosines, sines) = (angles(cosines)?, angles(sines)?);
    let neighbours = usize::from(pairing == RotaryPairing::Neighbours);
    let shape = [heads, 0, head_size, 0, 0, 0, width, pairs, neighbours].map(|size| size as u32);
    let launch = Launch::of_type(&device, ROTARY_KV, "rotary_kv", projected.dtype())?
        .address(address(&projected)?)
        .address(address(&cosines)?)
        .address(address(&sines)?)
        .address(0)
        .address(0)
        .address(0)
        .words(&shape);
    // SAFETY: the caller has checked heads, pairs and angles against the rows.
    unsafe { launch.run((rows, 1), threads_for(heads * pairs, 2, 256), 0) }?;
    Ok(projected)
}

/// Puts the keys and values of rows, which begin at `first_column`, at their `slots`: `keys` is
/// `(slots, heads, kept key size)`, `values` likewise.
pub(in crate::ops) fn keep(
    projected: &Tensor,
    first_column: usize,
    slots: &[u32],
    shape: KvShape,
    (keys, values): (&Tensor, &Tensor),
) -> Result<()> {
    let device = device(projected)?;
    let projected = projected.contiguous()?.to_dtype(keys.dtype())?;
    let (rows, width) = projected.dims2()?;
    let capacity = keys.dim(0)?;
    if slots.len() != rows || slots.iter().any(|&slot| slot as usize >= capacity) {
        candle_core::bail!("{rows} rows do not fit {} slots below {capacity}", slots.len())
    }
    let slots = shared_words(slots, &device)?;
    let KvShape { heads, key_size, value_size } = shape;
    let dtype = keys.dtype();
    let strides = [kept_size(key_size, dtype), kept_size(value_size, dtype)];
    // Without query heads a row begins with its keys.
    let numbers = [0, heads, key_size, value_size, strides[0], strides[1], width, 0, 0];
    let first_byte = (first_column * dtype.size_in_bytes()) as u64;
    let launch = Launch::of_type(&device, ROTARY_KV, "rotary_kv", dtype)?
        .address(address(&projected)? + first_byte)
        .address(0)
        .address(0)
        .address(address(&slots)?)
        .address(address(keys)?)
        .address(address(values)?)
        .words(&numbers.map(|number| number as u32));
    // SAFETY: slots are below the capacity, and the caller has checked that rows hold keys and values.
    unsafe { launch.run((rows, 1), threads_for(heads * (key_size + value_size), 4, 256), 0) }
}
