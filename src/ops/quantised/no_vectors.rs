//! In the place of `vectors` on processors that it has no code for.

use super::format::Format;
use crate::ops::simd::InstructionSet;

/// Most rows that are multiplied while their panel is widened.
pub(super) const MOST_ROWS: usize = 4;

/// There is none.
pub(super) fn widen(_: InstructionSet, _: Format, _: &[u8], _: usize, _: &mut [f32]) -> bool {
    false
}

/// There is none.
pub(super) fn multiply(
    _: InstructionSet,
    _: Format,
    _: &[u8],
    _: usize,
    _: &[f32],
    _: &mut [f32],
) -> bool {
    false
}
