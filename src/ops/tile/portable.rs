//! The kernel for processors without a version of their own; the compiler vectorises its loops.

use super::{Stored, Tile, VECTOR};

/// # Safety
/// As [`Stored::multiply`].
pub(super) unsafe fn multiply<T: Stored>(tile: &Tile<'_, T>, c: *mut f32) {
    for vector in 0..tile.vectors {
        for row in 0..tile.rows {
            let offset = row * tile.c_stride + vector * VECTOR;
            // SAFETY: the caller promises that `c` holds the tile.
            let c = unsafe { &mut *c.add(offset).cast::<[f32; VECTOR]>() };
            let mut sums = if tile.accumulate { *c } else { [0.0; VECTOR] };
            for k in 0..tile.depth {
                let number = tile.a[row * tile.a_stride + k];
                let columns = &tile.b[k * tile.b_stride + vector * VECTOR..][..VECTOR];
                for (sum, column) in sums.iter_mut().zip(columns) {
                    *sum = fused(number, column.widen(), *sum);
                }
            }
            *c = sums;
        }
    }
}

/// a · b + c, in one rounding where the target has an instruction for it.
#[inline]
fn fused(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64", target_arch = "riscv64")) {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}
