//! In the place of `rounded_vectors` on processors that it has no code for.

use super::format::Format;
use super::rounded_rows::RoundedRows;
use crate::ops::simd::InstructionSet;

/// There is none.
pub(super) fn multiply(
    _: InstructionSet,
    _: Format,
    _: &[u8],
    _: &RoundedRows,
    _: &mut [f32],
) -> bool {
    false
}
