//! The kernel with AVX2: a tile in parts of up to 6 × 16, whose sums fit the 16 registers.

use std::arch::x86_64::{
    __m256, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm256_castsi256_ps, _mm256_cvtepu16_epi32,
    _mm256_cvtph_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_setzero_ps,
    _mm256_slli_epi32, _mm256_storeu_ps,
};

use half::{bf16 as Bf16, f16 as F16};

use super::{Rows, Tile, VECTOR};

/// Most rows of a part.
const PART_ROWS: usize = 6;
/// Most rows of a part of 32 columns.
const WIDE_PART_ROWS: usize = 2;
/// Numbers of a register.
const REGISTER: usize = VECTOR / 2;
/// How far ahead columns are fetched that few rows meet. They come from main memory then.
const PREFETCH_BYTES: usize = 4096;
/// Bytes that are fetched together.
const LINE_BYTES: usize = 64;

macro_rules! kernel {
    ($name:ident, $any:ident, $sized:ident, $type:ty, $load:ident) => {
        /// # Safety
        /// As `Stored::multiply`.
        #[target_feature(enable = "avx2,fma,f16c")]
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
        #[target_feature(enable = "avx2,fma,f16c")]
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
        /// As above, for `ROWS` rows and the columns of `REGISTERS` registers from `first` on.
        #[target_feature(enable = "avx2,fma,f16c")]
        unsafe fn $sized<const ROWS: usize, const REGISTERS: usize, const PACKED: bool>(
            tile: &Tile<'_, $type>,
            first: usize,
            (mut a, row_step, depth_step): (*const f32, usize, usize),
            c: *mut f32,
        ) {
            let &Tile { b, b_stride, c_stride, accumulate, .. } = tile;
            let row_step = if PACKED { 1 } else { row_step };
            let mut sums = [[_mm256_setzero_ps(); REGISTERS]; ROWS];
            // SAFETY: the caller promises that the matrices reach as far as the tile says.
            unsafe {
                if accumulate {
                    for (row, sums) in sums.iter_mut().enumerate() {
                        for (register, sum) in sums.iter_mut().enumerate() {
                            *sum = _mm256_loadu_ps(c.add(row * c_stride + register * REGISTER));
                        }
                    }
                }
                for &(b, depth) in b {
                    let mut b = b.as_ptr().wrapping_add(first);
                    for _ in 0..depth {
                        if ROWS <= WIDE_PART_ROWS && PACKED {
                            let bytes = REGISTERS * REGISTER * size_of::<$type>();
                            for line in 0..bytes.div_ceil(LINE_BYTES) {
                                let ahead = PREFETCH_BYTES + line * LINE_BYTES;
                                _mm_prefetch::<_MM_HINT_T0>(b.cast::<i8>().wrapping_add(ahead));
                            }
                        }
                        let mut columns = [_mm256_setzero_ps(); REGISTERS];
                        for (register, columns) in columns.iter_mut().enumerate() {
                            *columns = $load(b.add(register * REGISTER));
                        }
                        for (row, sums) in sums.iter_mut().enumerate() {
                            let number = _mm256_set1_ps(*a.add(row * row_step));
                            for (sum, columns) in sums.iter_mut().zip(columns) {
                                *sum = _mm256_fmadd_ps(number, columns, *sum);
                            }
                        }
                        a = a.wrapping_add(depth_step);
                        b = b.wrapping_add(b_stride);
                    }
                }
                for (row, sums) in sums.iter().enumerate() {
                    for (register, sum) in sums.iter().enumerate() {
                        _mm256_storeu_ps(c.add(row * c_stride + register * REGISTER), *sum);
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
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn load_f32(from: *const f32) -> __m256 {
    // SAFETY: promised by the caller.
    unsafe { _mm256_loadu_ps(from) }
}

/// # Safety
/// 8 numbers can be read.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn load_bf16(from: *const Bf16) -> __m256 {
    // SAFETY: promised by the caller.
    let halves = unsafe { _mm_loadu_si128(from.cast()) };
    _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(halves)))
}

/// # Safety
/// 8 numbers can be read.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn load_f16(from: *const F16) -> __m256 {
    // SAFETY: promised by the caller.
    let halves = unsafe { _mm_loadu_si128(from.cast()) };
    _mm256_cvtph_ps(halves)
}
