//! The kernel with AVX2: a tile in parts of up to 6 × 16, whose sums fit the 16 registers.

use std::arch::x86_64::{
    __m256, _mm_loadu_si128, _mm256_castsi256_ps, _mm256_cvtepu16_epi32, _mm256_cvtph_ps,
    _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_slli_epi32,
    _mm256_storeu_ps,
};

use half::{bf16 as Bf16, f16 as F16};

use super::{Rows, Tile, VECTOR};

/// Most rows of a part.
const PART_ROWS: usize = 6;
/// Numbers of a register.
const HALF: usize = VECTOR / 2;

macro_rules! kernel {
    ($name:ident, $sized:ident, $type:ty, $load:ident) => {
        /// # Safety
        /// As `Stored::multiply`.
        #[target_feature(enable = "avx2,fma,f16c")]
        pub(super) unsafe fn $name(tile: &Tile<'_, $type>, c: *mut f32) {
            for vector in 0..tile.vectors {
                for row in (0..tile.rows).step_by(PART_ROWS) {
                    // SAFETY: the part lies inside the tile, which the caller promises is there.
                    unsafe {
                        let (a, steps) = match tile.a {
                            Rows::Packed(a) => (a.as_ptr().wrapping_add(row), (1, tile.rows)),
                            Rows::Apart(a, stride) => {
                                (a.as_ptr().wrapping_add(row * stride), (stride, 1))
                            }
                        };
                        let c = c.add(row * tile.c_stride + vector * VECTOR);
                        match tile.rows - row {
                            1 => $sized::<1>(tile, vector, (a, steps), c),
                            2 => $sized::<2>(tile, vector, (a, steps), c),
                            3 => $sized::<3>(tile, vector, (a, steps), c),
                            4 => $sized::<4>(tile, vector, (a, steps), c),
                            5 => $sized::<5>(tile, vector, (a, steps), c),
                            _ => $sized::<PART_ROWS>(tile, vector, (a, steps), c),
                        }
                    }
                }
            }
        }

        /// # Safety
        /// As `Stored::multiply`, for `ROWS` rows, which begin at `a` with these steps from row to row
        /// and from depth to depth, and one vector of columns.
        #[target_feature(enable = "avx2,fma,f16c")]
        unsafe fn $sized<const ROWS: usize>(
            tile: &Tile<'_, $type>,
            vector: usize,
            (mut a, (row_step, depth_step)): (*const f32, (usize, usize)),
            c: *mut f32,
        ) {
            let &Tile { b, b_stride, c_stride, accumulate, .. } = tile;
            let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
            // SAFETY: the caller promises that the matrices reach as far as the tile says.
            unsafe {
                if accumulate {
                    for (row, sums) in sums.iter_mut().enumerate() {
                        let c = c.add(row * c_stride);
                        *sums = [_mm256_loadu_ps(c), _mm256_loadu_ps(c.add(HALF))];
                    }
                }
                for &(b, depth) in b {
                    let mut b = b.as_ptr().wrapping_add(vector * VECTOR);
                    for _ in 0..depth {
                        let columns = [$load(b), $load(b.add(HALF))];
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
                for (row, [first, second]) in sums.iter().enumerate() {
                    let c = c.add(row * c_stride);
                    _mm256_storeu_ps(c, *first);
                    _mm256_storeu_ps(c.add(HALF), *second);
                }
            }
        }
    };
}

kernel!(f32, f32_sized, f32, load_f32);
kernel!(bf16, bf16_sized, Bf16, load_bf16);
kernel!(f16, f16_sized, F16, load_f16);

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
