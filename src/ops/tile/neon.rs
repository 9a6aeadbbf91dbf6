//! The kernel with NEON: a tile in parts of up to 6 × 16, whose sums take 24 of the 32 registers.

use std::arch::aarch64::{
    float32x4_t, vcvt_f32_f16, vcvt_high_f32_f16, vdupq_n_f32, vfmaq_n_f32, vget_low_f16,
    vget_low_u16, vld1q_f32, vld1q_u16, vmovl_high_u16, vmovl_u16, vreinterpretq_f16_u16,
    vreinterpretq_f32_u32, vshlq_n_u32, vst1q_f32,
};

use half::{bf16 as Bf16, f16 as F16};

use super::{Rows, Tile, VECTOR};

/// Most rows of a part.
const PART_ROWS: usize = 6;
/// Most rows of a part of 32 columns: fewer sums than these would wait for each other.
const WIDE_PART_ROWS: usize = 2;
/// Numbers of a register.
const REGISTER: usize = VECTOR / 4;
/// Numbers of two registers, which are loaded together: halves fill one before they are widened.
const PAIR: usize = 2 * REGISTER;

macro_rules! kernel {
    ($name:ident, $any:ident, $sized:ident, $type:ty, $load:ident) => {
        /// # Safety
        /// As `Stored::multiply`.
        #[target_feature(enable = "neon")]
        pub(super) unsafe fn $name(tile: &Tile<'_, $type>, c: *mut f32) {
            // SAFETY: promised by the caller.
            unsafe {
                match tile.a {
                    Rows::Packed(a) => $any::<true>(tile, (a.as_ptr(), 1, tile.rows), c),
                    Rows::Apart(a, stride) => $any::<false>(tile, (a.as_ptr(), stride, 1), c),
                }
            }
        }

        /// # Safety
        /// As `Stored::multiply`, for rows that begin at `a` with these steps from row to row and from depth
        /// to depth; from row to row it is 1 if `PACKED`.
        #[target_feature(enable = "neon")]
        unsafe fn $any<const PACKED: bool>(
            tile: &Tile<'_, $type>,
            (a, row_step, depth_step): (*const f32, usize, usize),
            c: *mut f32,
        ) {
            if tile.rows <= WIDE_PART_ROWS && tile.vectors == 2 {
                let a = (a, row_step, depth_step);
                // SAFETY: promised by the caller.
                return unsafe {
                    match tile.rows {
                        1 => $sized::<1, 4, PACKED>(tile, 0, a, c),
                        _ => $sized::<2, 4, PACKED>(tile, 0, a, c),
                    }
                };
            }
            // Parts of about the same size: one row alone would wait for its own sums.
            let part_rows = tile.rows.div_ceil(tile.rows.div_ceil(PART_ROWS));
            for first in (0..tile.vectors * VECTOR).step_by(VECTOR) {
                for row in (0..tile.rows).step_by(part_rows) {
                    let a = (a.wrapping_add(row * row_step), row_step, depth_step);
                    // SAFETY: the part lies inside the tile, which the caller promises is there.
                    unsafe {
                        let c = c.add(row * tile.c_stride + first);
                        match part_rows.min(tile.rows - row) {
                            1 => $sized::<1, 2, PACKED>(tile, first, a, c),
                            2 => $sized::<2, 2, PACKED>(tile, first, a, c),
                            3 => $sized::<3, 2, PACKED>(tile, first, a, c),
                            4 => $sized::<4, 2, PACKED>(tile, first, a, c),
                            5 => $sized::<5, 2, PACKED>(tile, first, a, c),
                            _ => $sized::<PART_ROWS, 2, PACKED>(tile, first, a, c),
                        }
                    }
                }
            }
        }

        /// # Safety
        /// As above, for `ROWS` rows and the columns of `PAIRS` pairs of registers from `first` on.
        #[target_feature(enable = "neon")]
        unsafe fn $sized<const ROWS: usize, const PAIRS: usize, const PACKED: bool>(
            tile: &Tile<'_, $type>,
            first: usize,
            (mut a, row_step, depth_step): (*const f32, usize, usize),
            c: *mut f32,
        ) {
            let &Tile { b, b_stride, c_stride, accumulate, .. } = tile;
            let row_step = if PACKED { 1 } else { row_step };
            let mut sums = [[[vdupq_n_f32(0.0); 2]; PAIRS]; ROWS];
            // SAFETY: the caller promises that the matrices reach as far as the tile says.
            unsafe {
                if accumulate {
                    for (row, sums) in sums.iter_mut().enumerate() {
                        for (pair, sums) in sums.iter_mut().enumerate() {
                            *sums = load_f32(c.add(row * c_stride + pair * PAIR));
                        }
                    }
                }
                for &(b, depth) in b {
                    let mut b = b.as_ptr().wrapping_add(first);
                    for _ in 0..depth {
                        let mut columns = [[vdupq_n_f32(0.0); 2]; PAIRS];
                        for (pair, columns) in columns.iter_mut().enumerate() {
                            *columns = $load(b.add(pair * PAIR));
                        }
                        for (row, sums) in sums.iter_mut().enumerate() {
                            let number = *a.add(row * row_step);
                            for (sums, columns) in sums.iter_mut().zip(columns) {
                                sums[0] = vfmaq_n_f32(sums[0], columns[0], number);
                                sums[1] = vfmaq_n_f32(sums[1], columns[1], number);
                            }
                        }
                        a = a.wrapping_add(depth_step);
                        b = b.wrapping_add(b_stride);
                    }
                }
                for (row, sums) in sums.iter().enumerate() {
                    for (pair, sums) in sums.iter().enumerate() {
                        let c = c.add(row * c_stride + pair * PAIR);
                        vst1q_f32(c, sums[0]);
                        vst1q_f32(c.add(REGISTER), sums[1]);
                    }
                }
            }
        }
    };
}

kernel!(f32, f32_any, f32_sized, f32, load_f32);
kernel!(bf16, bf16_any, bf16_sized, Bf16, load_bf16);
kernel!(f16, f16_any, f16_sized, F16, load_f16);

/// # Safety
/// 8 numbers can be read.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load_f32(from: *const f32) -> [float32x4_t; 2] {
    // SAFETY: promised by the caller.
    unsafe { [vld1q_f32(from), vld1q_f32(from.add(REGISTER))] }
}

/// # Safety
/// 8 numbers can be read.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load_bf16(from: *const Bf16) -> [float32x4_t; 2] {
    // SAFETY: promised by the caller.
    let halves = unsafe { vld1q_u16(from.cast()) };
    [vmovl_u16(vget_low_u16(halves)), vmovl_high_u16(halves)]
        .map(|bits| vreinterpretq_f32_u32(vshlq_n_u32::<16>(bits)))
}

/// # Safety
/// 8 numbers can be read.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load_f16(from: *const F16) -> [float32x4_t; 2] {
    // SAFETY: promised by the caller.
    let halves = unsafe { vreinterpretq_f16_u16(vld1q_u16(from.cast())) };
    [vcvt_f32_f16(vget_low_f16(halves)), vcvt_high_f32_f16(halves)]
}
