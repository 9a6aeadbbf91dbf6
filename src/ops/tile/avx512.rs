//! The kernel with AVX-512: all sums of a tile in registers.

use std::arch::x86_64::{
    __m512, _MM_HINT_T0, _mm_prefetch, _mm256_loadu_si256, _mm512_castsi512_ps,
    _mm512_cvtepu16_epi32, _mm512_cvtph_ps, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_set1_ps,
    _mm512_setzero_ps, _mm512_slli_epi32, _mm512_storeu_ps,
};

use half::{bf16 as Bf16, f16 as F16};

use super::{Rows, Tile, VECTOR};

/// How far ahead the columns of packed rows are fetched. They come from main memory when rows are
/// few, and by itself the processor stops fetching where a page ends.
const PREFETCH_BYTES: usize = 4096;
/// Bytes that are fetched together.
const LINE_BYTES: usize = 64;

macro_rules! kernel {
    ($name:ident, $any:ident, $sized:ident, $type:ty, $load:ident) => {
        /// # Safety
        /// As `Stored::multiply`.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        pub(super) unsafe fn $name(tile: &Tile<'_, $type>, c: *mut f32) {
            // SAFETY: promised by the caller.
            unsafe {
                match tile.a {
                    Rows::Packed(a) => $any::<true>(tile, a.as_ptr(), tile.rows, c),
                    Rows::Apart(a, stride) => $any::<false>(tile, a.as_ptr(), stride, c),
                }
            }
        }

        /// # Safety
        /// As `Stored::multiply`.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        unsafe fn $any<const PACKED: bool>(
            tile: &Tile<'_, $type>,
            a: *const f32,
            stride: usize,
            c: *mut f32,
        ) {
            // SAFETY: promised by the caller.
            unsafe {
                match (tile.vectors, tile.rows) {
                    (1, 1) => $sized::<1, 1, PACKED>(tile, a, stride, c),
                    (1, 2) => $sized::<2, 1, PACKED>(tile, a, stride, c),
                    (1, 3) => $sized::<3, 1, PACKED>(tile, a, stride, c),
                    (1, 4) => $sized::<4, 1, PACKED>(tile, a, stride, c),
                    (1, 5) => $sized::<5, 1, PACKED>(tile, a, stride, c),
                    (1, 6) => $sized::<6, 1, PACKED>(tile, a, stride, c),
                    (1, 7) => $sized::<7, 1, PACKED>(tile, a, stride, c),
                    (1, 8) => $sized::<8, 1, PACKED>(tile, a, stride, c),
                    (1, 9) => $sized::<9, 1, PACKED>(tile, a, stride, c),
                    (1, 10) => $sized::<10, 1, PACKED>(tile, a, stride, c),
                    (1, 11) => $sized::<11, 1, PACKED>(tile, a, stride, c),
                    (1, _) => $sized::<12, 1, PACKED>(tile, a, stride, c),
                    (_, 1) => $sized::<1, 2, PACKED>(tile, a, stride, c),
                    (_, 2) => $sized::<2, 2, PACKED>(tile, a, stride, c),
                    (_, 3) => $sized::<3, 2, PACKED>(tile, a, stride, c),
                    (_, 4) => $sized::<4, 2, PACKED>(tile, a, stride, c),
                    (_, 5) => $sized::<5, 2, PACKED>(tile, a, stride, c),
                    (_, 6) => $sized::<6, 2, PACKED>(tile, a, stride, c),
                    (_, 7) => $sized::<7, 2, PACKED>(tile, a, stride, c),
                    (_, 8) => $sized::<8, 2, PACKED>(tile, a, stride, c),
                    (_, 9) => $sized::<9, 2, PACKED>(tile, a, stride, c),
                    (_, 10) => $sized::<10, 2, PACKED>(tile, a, stride, c),
                    (_, 11) => $sized::<11, 2, PACKED>(tile, a, stride, c),
                    (_, _) => $sized::<12, 2, PACKED>(tile, a, stride, c),
                }
            }
        }

        /// # Safety
        /// As `Stored::multiply`, for a tile of `ROWS × VECTORS` whose rows begin at `a` and, unless
        /// packed, are `stride` numbers apart.
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        unsafe fn $sized<const ROWS: usize, const VECTORS: usize, const PACKED: bool>(
            tile: &Tile<'_, $type>,
            mut a: *const f32,
            stride: usize,
            c: *mut f32,
        ) {
            let &Tile { b, b_stride, c_stride, accumulate, .. } = tile;
            let (row_step, depth_step) = if PACKED { (1, ROWS) } else { (stride, 1) };
            let mut sums = [[_mm512_setzero_ps(); VECTORS]; ROWS];
            // SAFETY: the caller promises that the matrices reach as far as the tile says.
            unsafe {
                if accumulate {
                    for (row, sums) in sums.iter_mut().enumerate() {
                        for (vector, sum) in sums.iter_mut().enumerate() {
                            *sum = _mm512_loadu_ps(c.add(row * c_stride + vector * VECTOR));
                        }
                    }
                }
                for &(b, depth) in b {
                    let mut b = b.as_ptr();
                    for _ in 0..depth {
                        if PACKED {
                            for line in
                                0..(VECTORS * VECTOR * size_of::<$type>()).div_ceil(LINE_BYTES)
                            {
                                let ahead = PREFETCH_BYTES + line * LINE_BYTES;
                                _mm_prefetch::<_MM_HINT_T0>(b.cast::<i8>().wrapping_add(ahead));
                            }
                        }
                        let mut columns = [_mm512_setzero_ps(); VECTORS];
                        for (vector, columns) in columns.iter_mut().enumerate() {
                            *columns = $load(b.add(vector * VECTOR));
                        }
                        for (row, sums) in sums.iter_mut().enumerate() {
                            let number = _mm512_set1_ps(*a.add(row * row_step));
                            for (sum, columns) in sums.iter_mut().zip(columns) {
                                *sum = _mm512_fmadd_ps(number, columns, *sum);
                            }
                        }
                        a = a.wrapping_add(depth_step);
                        b = b.wrapping_add(b_stride);
                    }
                }
                for (row, sums) in sums.iter().enumerate() {
                    for (vector, sum) in sums.iter().enumerate() {
                        _mm512_storeu_ps(c.add(row * c_stride + vector * VECTOR), *sum);
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
/// 16 numbers can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn load_f32(from: *const f32) -> __m512 {
    // SAFETY: promised by the caller.
    unsafe { _mm512_loadu_ps(from) }
}

/// # Safety
/// 16 numbers can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn load_bf16(from: *const Bf16) -> __m512 {
    // SAFETY: promised by the caller.
    let halves = unsafe { _mm256_loadu_si256(from.cast()) };
    _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(halves)))
}

/// # Safety
/// 16 numbers can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn load_f16(from: *const F16) -> __m512 {
    // SAFETY: promised by the caller.
    let halves = unsafe { _mm256_loadu_si256(from.cast()) };
    _mm512_cvtph_ps(halves)
}
