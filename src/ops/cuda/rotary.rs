//! Rotation, and keeping keys and values.

use candle_core::{DType, Result, Tensor};

use super::launch::{Launch, ROTARY_KV, address, device, optional_address, threads_for};
use super::upload::shared_words;
use crate::ops::kv::KvShape;
use crate::ops::rotary::{Angles, RotaryPairing};

/// Bytes that a kept head is a multiple of.
const HEAD_BYTES: usize = 16;

/// Numbers from one kept head of `size` to the next.
pub(in crate::ops) fn kept_size(size: usize, dtype: DType) -> usize {
    size.next_multiple_of(HEAD_BYTES / dtype.size_in_bytes().clamp(1, HEAD_BYTES))
}

/// Where keys and values are kept.
struct Keeping<'a> {
    slots: &'a [u32],
    shape: KvShape,
    keys: &'a Tensor,
    values: &'a Tensor,
}

/// As [`crate::ops::rotary::rotary`], in place.
pub(in crate::ops) fn rotary(
    projected: &Tensor,
    (heads, head_size): (usize, usize),
    angles: &Angles<'_>,
    pairing: RotaryPairing,
) -> Result<Tensor> {
    let projected = projected.contiguous()?;
    run(&projected, 0, (heads, head_size), Some((angles, pairing)), None)?;
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
    let projected = projected.contiguous()?.to_dtype(keys.dtype())?;
    let keeping = Keeping { slots, shape, keys, values };
    // Without query heads a row begins with its keys.
    run(&projected, first_column, (0, shape.key_size), None, Some(&keeping))
}

/// Rotates queries, in place, and keys, and keeps keys and values, in one launch. A row begins with `heads` query
/// heads; keys and values follow, and are not rotated where they lie.
pub(in crate::ops) fn rotate_and_keep(
    projected: &Tensor,
    heads: usize,
    (angles, pairing): (&Angles<'_>, RotaryPairing),
    slots: &[u32],
    shape: KvShape,
    (keys, values): (&Tensor, &Tensor),
) -> Result<Tensor> {
    let projected = projected.contiguous()?.to_dtype(keys.dtype())?;
    let keeping = Keeping { slots, shape, keys, values };
    run(&projected, 0, (heads, shape.key_size), Some((angles, pairing)), Some(&keeping))?;
    Ok(projected)
}

/// `projected` is contiguous and of the type of what is kept; its rows begin at `first_column`. Without keeping, all
/// `heads` are queries to the kernel.
fn run(
    projected: &Tensor,
    first_column: usize,
    (heads, head_size): (usize, usize),
    rotation: Option<(&Angles<'_>, RotaryPairing)>,
    keeping: Option<&Keeping<'_>>,
) -> Result<()> {
    let device = device(projected)?;
    let (rows, width) = projected.dims2()?;
    let dtype = projected.dtype();
    let number = |angles: &Tensor| angles.to_dtype(DType::F32)?.contiguous();
    let (angles, pairs, positions, neighbours) = match rotation {
        None => (None, 0, None, false),
        Some((angles, pairing)) => {
            let (places, pairs) = angles.cosines.dims2()?;
            let positions = angles.positions.map(|all| shared_words(all, &device)).transpose()?;
            let is_inside = match angles.positions {
                Some(all) => all.len() == rows && all.iter().all(|&at| (at as usize) < places),
                None => places == rows,
            };
            if !is_inside || angles.sines.dims() != [places, pairs] || 2 * pairs > head_size {
                candle_core::bail!("angles of {places} × {pairs} do not fit {rows} rows")
            }
            let numbers = (number(&angles.cosines)?, number(&angles.sines)?);
            (Some(numbers), pairs, positions, pairing == RotaryPairing::Neighbours)
        }
    };
    let (slots, kept, shape) = match keeping {
        None => (None, None, KvShape { heads: 0, key_size: head_size, value_size: 0 }),
        Some(Keeping { slots, shape, keys, values }) => {
            let capacity = keys.dim(0)?;
            let needed = first_column
                + heads * head_size
                + shape.heads * (shape.key_size + shape.value_size);
            if slots.len() != rows
                || slots.iter().any(|&slot| slot as usize >= capacity)
                || needed > width
            {
                candle_core::bail!("{rows} rows do not fit {} slots below {capacity}", slots.len())
            }
            (Some(shared_words(slots, &device)?), Some((*keys, *values)), *shape)
        }
    };
    let KvShape { heads: key_heads, key_size, value_size } = shape;
    let strides = [kept_size(key_size, dtype), kept_size(value_size, dtype)];
    let sizes = [heads, key_heads, key_size, value_size, strides[0], strides[1], width, pairs];
    let sizes: Vec<u32> =
        sizes.into_iter().chain([usize::from(neighbours)]).map(|size| size as u32).collect();
    let first_byte = (first_column * dtype.size_in_bytes()) as u64;
    let (cosines, sines) = angles.as_ref().map(|(one, other)| (one, other)).unzip();
    let (keys, values) = kept.unzip();
    let launch = Launch::of_type(&device, ROTARY_KV, "rotary_kv", dtype)?
        .address(address(projected)? + first_byte)
        .address(optional_address(cosines)?)
        .address(optional_address(sines)?)
        .address(optional_address(positions.as_ref())?)
        .address(optional_address(slots.as_ref())?)
        .address(optional_address(keys)?)
        .address(optional_address(values)?)
        .words(&sizes);
    let numbers = (heads + key_heads) * pairs + key_heads * (key_size + value_size);
    // SAFETY: positions are those of angles, slots are below the capacity, and rows hold all heads, by the checks
    // here and in the callers.
    unsafe { launch.run((rows, 1), threads_for(numbers, 8, 256), 0) }
}
