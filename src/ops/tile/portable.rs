//! The kernel for processors without a version of their own; the compiler vectorises its loops.

use super::{Rows, Stored, Tile, VECTOR};
use crate::ops::simd::InstructionSet;

/// # Safety
/// As [`Stored::multiply`].
pub(super) unsafe fn multiply<T: Stored>(tile: &Tile<'_, T>, c: *mut f32) {
    for vector in 0..tile.vectors {
        for row in 0..tile.rows {
            let offset = row * tile.c_stride + vector * VECTOR;
            // SAFETY: the caller promises that `c` holds the tile.
            let c = unsafe { &mut *c.add(offset).cast::<[f32; VECTOR]>() };
            let mut sums = if tile.accumulate { *c } else { [0.0; VECTOR] };
            let depths = tile.b.iter().flat_map(|&(b, depth)| b.chunks(tile.b_stride).take(depth));
            for (k, b) in depths.enumerate() {
                let number = match tile.a {
                    Rows::Packed(a) => a[k * tile.rows + row],
                    Rows::Apart(a, stride) => a[row * stride + k],
                };
                for (sum, column) in sums.iter_mut().zip(&b[vector * VECTOR..][..VECTOR]) {
                    *sum = InstructionSet::Portable.fused(number, column.widen(), *sum);
                }
            }
            *c = sums;
        }
    }
}
