//! Registers of AVX-512 and AVX2.

use std::arch::x86_64::{
    __m256, __m256i, __m512, __m512i, _MM_HINT_T0, _mm_cvtsi32_si128, _mm_loadl_epi64,
    _mm_loadu_si128, _mm_prefetch, _mm256_and_si256, _mm256_cvtepi8_epi32, _mm256_cvtepi32_ps,
    _mm256_cvtepu8_epi32, _mm256_cvtph_ps, _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_loadu_si256,
    _mm256_mul_ps, _mm256_or_si256, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps,
    _mm256_srl_epi32, _mm256_storeu_ps, _mm512_and_si512, _mm512_cvtepi8_epi32, _mm512_cvtepi32_ps,
    _mm512_cvtepu8_epi32, _mm512_cvtph_ps, _mm512_fmadd_ps, _mm512_fmsub_ps, _mm512_loadu_si512,
    _mm512_mul_ps, _mm512_or_si512, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps,
    _mm512_srl_epi32, _mm512_storeu_ps,
};

use super::Lanes;

/// Sixteen columns.
pub(in crate::ops::quantised) struct Avx512;

/// Eight columns.
pub(in crate::ops::quantised) struct Avx2;

/// Implements [`Lanes`] by the intrinsics that do what its functions say.
macro_rules! lanes {
    (
        $name:ident, $columns:literal, $numbers:ty, $words:ty, $zero:ident, $all:ident,
        $halves:ident of $load_halves:ident, $bytes:ident, $signed_bytes:ident of $load_bytes:ident,
        $load_words:ident, $all_words:ident, $and:ident, $or:ident, $down:ident, $number:ident,
        $product:ident, $product_and:ident, $product_less:ident, $store:ident
    ) => {
        #[allow(clippy::inline_always, reason = "gets the features of its caller")]
        impl Lanes for $name {
            type Numbers = $numbers;
            type Words = $words;
            const COLUMNS: usize = $columns;

            #[inline(always)]
            unsafe fn zero() -> $numbers {
                // SAFETY: the caller has these instructions.
                unsafe { $zero() }
            }

            #[inline(always)]
            unsafe fn all(number: f32) -> $numbers {
                // SAFETY: the caller has these instructions.
                unsafe { $all(number) }
            }

            #[inline(always)]
            unsafe fn halves(from: *const u8) -> $numbers {
                // SAFETY: the caller has these instructions, and a register of numbers there.
                unsafe { $halves($load_halves(from.cast())) }
            }

            #[inline(always)]
            unsafe fn bytes(from: *const u8) -> $words {
                // SAFETY: the caller has these instructions, and a register of numbers there.
                unsafe { $bytes($load_bytes(from.cast())) }
            }

            #[inline(always)]
            unsafe fn signed_bytes(from: *const u8) -> $words {
                // SAFETY: the caller has these instructions, and a register of numbers there.
                unsafe { $signed_bytes($load_bytes(from.cast())) }
            }

            #[inline(always)]
            unsafe fn words(from: *const u8) -> $words {
                // SAFETY: the caller has these instructions, and a register of numbers there.
                unsafe { $load_words(from.cast()) }
            }

            #[inline(always)]
            unsafe fn and(words: $words, mask: u32) -> $words {
                // SAFETY: the caller has these instructions.
                unsafe { $and(words, $all_words(mask.cast_signed())) }
            }

            #[inline(always)]
            unsafe fn or(words: $words, more: $words) -> $words {
                // SAFETY: the caller has these instructions.
                unsafe { $or(words, more) }
            }

            #[inline(always)]
            unsafe fn down(words: $words, bits: usize) -> $words {
                // A shift by a constant, once this is inlined.
                // SAFETY: the caller has these instructions.
                unsafe { $down(words, _mm_cvtsi32_si128(bits.cast_signed() as i32)) }
            }

            #[inline(always)]
            unsafe fn number(words: $words) -> $numbers {
                // SAFETY: the caller has these instructions.
                unsafe { $number(words) }
            }

            #[inline(always)]
            unsafe fn product(a: $numbers, b: $numbers) -> $numbers {
                // SAFETY: the caller has these instructions.
                unsafe { $product(a, b) }
            }

            #[inline(always)]
            unsafe fn product_and(a: $numbers, b: $numbers, c: $numbers) -> $numbers {
                // SAFETY: the caller has these instructions.
                unsafe { $product_and(a, b, c) }
            }

            #[inline(always)]
            unsafe fn product_less(a: $numbers, b: $numbers, c: $numbers) -> $numbers {
                // SAFETY: the caller has these instructions.
                unsafe { $product_less(a, b, c) }
            }

            #[inline(always)]
            fn fetch(from: *const u8) {
                // SAFETY: every processor with these columns has the instruction, and it reads nothing.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(from.cast()) }
            }

            #[inline(always)]
            unsafe fn store(to: *mut f32, numbers: $numbers) {
                // SAFETY: the caller has these instructions, and a register of numbers there.
                unsafe { $store(to, numbers) }
            }
        }
    };
}

lanes!(
    Avx512, 16, __m512, __m512i, _mm512_setzero_ps, _mm512_set1_ps,
    _mm512_cvtph_ps of _mm256_loadu_si256, _mm512_cvtepu8_epi32, _mm512_cvtepi8_epi32 of _mm_loadu_si128,
    _mm512_loadu_si512, _mm512_set1_epi32, _mm512_and_si512, _mm512_or_si512, _mm512_srl_epi32,
    _mm512_cvtepi32_ps, _mm512_mul_ps, _mm512_fmadd_ps, _mm512_fmsub_ps, _mm512_storeu_ps
);

lanes!(
    Avx2, 8, __m256, __m256i, _mm256_setzero_ps, _mm256_set1_ps,
    _mm256_cvtph_ps of _mm_loadu_si128, _mm256_cvtepu8_epi32, _mm256_cvtepi8_epi32 of _mm_loadl_epi64,
    _mm256_loadu_si256, _mm256_set1_epi32, _mm256_and_si256, _mm256_or_si256, _mm256_srl_epi32,
    _mm256_cvtepi32_ps, _mm256_mul_ps, _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_storeu_ps
);
