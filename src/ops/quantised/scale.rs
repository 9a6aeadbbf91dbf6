//! The steps and floors of 32 outputs side by side, read from a unit.

use std::ops::Range;

use super::format::{Factors, Format};
use super::unit::Parts;
use crate::ops::tile::COLUMNS;

/// The steps and floors of some columns: those of the blocks, or of one group.
pub(super) struct Scale {
    pub(super) steps: [f32; COLUMNS],
    pub(super) floors: [f32; COLUMNS],
}

impl Scale {
    /// Nothing.
    pub(super) const ZERO: Self = Self { steps: [0.0; COLUMNS], floors: [0.0; COLUMNS] };

    /// Those of the blocks.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
    pub(super) fn of(format: Format, parts: &Parts, unit: &[u8], columns: Range<usize>) -> Self {
        let mut scale = Self::ZERO;
        let Self { steps, floors } = &mut scale;
        if format.wide_step {
            let wide = &unit.as_chunks::<4>().0[columns.clone()];
            steps.iter_mut().zip(wide).for_each(|(step, &wide)| *step = f32::from_le_bytes(wide));
        } else {
            let halves = &unit.as_chunks::<2>().0[columns.clone()];
            steps.iter_mut().zip(halves).for_each(|(step, &half)| *step = widen_half(half));
        }
        if format.floor {
            let halves = &unit[parts.floors..parts.factors].as_chunks::<2>().0[columns];
            floors.iter_mut().zip(halves).for_each(|(floor, &half)| *floor = widen_half(half));
        }
        scale
    }

    /// Those of a group, from those of the blocks.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
    pub(super) fn of_group(
        &self,
        format: Format,
        parts: &Parts,
        unit: &[u8],
        group: usize,
        columns: Range<usize>,
    ) -> Self {
        let Self { mut steps, mut floors } = *self;
        let row = |row: usize| &unit[parts.factors + row * COLUMNS..][..COLUMNS][columns.clone()];
        match format.factors {
            Factors::One => {}
            Factors::Nibbles => {
                for ((step, floor), &both) in steps.iter_mut().zip(&mut floors).zip(row(group)) {
                    *step *= f32::from(both & 15);
                    *floor *= f32::from(both >> 4);
                }
            }
            Factors::Steps | Factors::StepsAndFloors => {
                for (step, &factor) in steps.iter_mut().zip(row(group)) {
                    *step *= f32::from(factor.cast_signed());
                }
                if format.factors == Factors::StepsAndFloors {
                    for (floor, &factor) in floors.iter_mut().zip(row(format.groups() + group)) {
                        *floor *= f32::from(factor);
                    }
                }
            }
        }
        Self { steps, floors }
    }
}

/// An f16 as f32, by arithmetic that becomes vector code.
#[inline]
fn widen_half(bytes: [u8; 2]) -> f32 {
    /// 2¹¹²: what lies between the exponents of the two types.
    const SHIFT: f32 = f32::from_bits(0x7780_0000);
    let bits = u32::from(u16::from_le_bytes(bytes));
    let finite = (f32::from_bits((bits & 0x7fff) << 13) * SHIFT).to_bits();
    // The largest exponent means infinity or no number.
    let special = if bits & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(finite | special | (bits & 0x8000) << 16)
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::*;

    #[test]
    fn halves_are_widened_exactly() {
        for bits in 0..=u16::MAX {
            let (found, expected) = (widen_half(bits.to_le_bytes()), f16::from_bits(bits).to_f32());
            assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan());
        }
    }
}
