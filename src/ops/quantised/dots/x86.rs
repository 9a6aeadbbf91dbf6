//! Products of bytes with AVX-512 and AVX2.

use std::arch::x86_64::{
    __m256i, __m512i, _mm_cvtsi32_si128, _mm256_abs_epi8, _mm256_add_epi16, _mm256_add_epi32,
    _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_mullo_epi32, _mm256_set1_epi8,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_sign_epi8, _mm256_sll_epi32,
    _mm256_sub_epi32, _mm256_xor_si256, _mm512_add_epi32, _mm512_dpbusd_epi32, _mm512_mullo_epi32,
    _mm512_set1_epi32, _mm512_setzero_si512, _mm512_sll_epi32, _mm512_sub_epi32,
};

use super::Dots;
use crate::ops::quantised::lanes::{Avx2, Avx512};

#[allow(clippy::inline_always, reason = "gets the features of its caller")]
impl Dots for Avx512 {
    const TAKES_OFFSET: bool = false;

    #[inline(always)]
    unsafe fn all_words(number: i32) -> __m512i {
        // SAFETY: the caller has these instructions.
        unsafe { _mm512_set1_epi32(number) }
    }

    #[inline(always)]
    unsafe fn sum(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller has these instructions.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn difference(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller has these instructions.
        unsafe { _mm512_sub_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn multiple(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller has these instructions.
        unsafe { _mm512_mullo_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn up(words: __m512i, bits: usize) -> __m512i {
        // SAFETY: the caller has these instructions.
        unsafe { _mm512_sll_epi32(words, _mm_cvtsi32_si128(bits.cast_signed() as i32)) }
    }

    #[inline(always)]
    unsafe fn dot<const COUNT: usize>(
        quants: [__m512i; COUNT],
        _: usize,
        bytes: *const i8,
    ) -> __m512i {
        // SAFETY: the caller has these instructions, and four bytes for each register of quants lie there.
        unsafe {
            let mut dots = _mm512_setzero_si512();
            for (number, quants) in quants.iter().enumerate() {
                let four = _mm512_set1_epi32(bytes.add(4 * number).cast::<i32>().read_unaligned());
                dots = _mm512_dpbusd_epi32(dots, *quants, four);
            }
            dots
        }
    }
}

#[allow(clippy::inline_always, reason = "gets the features of its caller")]
impl Dots for Avx2 {
    const TAKES_OFFSET: bool = true;

    #[inline(always)]
    unsafe fn all_words(number: i32) -> __m256i {
        // SAFETY: the caller has these instructions.
        unsafe { _mm256_set1_epi32(number) }
    }

    #[inline(always)]
    unsafe fn sum(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller has these instructions.
        unsafe { _mm256_add_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn difference(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller has these instructions.
        unsafe { _mm256_sub_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn multiple(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller has these instructions.
        unsafe { _mm256_mullo_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn up(words: __m256i, bits: usize) -> __m256i {
        // SAFETY: the caller has these instructions.
        unsafe { _mm256_sll_epi32(words, _mm_cvtsi32_si128(bits.cast_signed() as i32)) }
    }

    #[inline(always)]
    unsafe fn dot<const COUNT: usize>(
        quants: [__m256i; COUNT],
        bits: usize,
        bytes: *const i8,
    ) -> __m256i {
        // Sums of two products that 16 bits hold.
        let most = if bits == 8 { 1 } else { 32_767 / (2 * ((1 << bits) - 1) * 127) };
        // SAFETY: the caller has these instructions, and four bytes for each register of quants lie there.
        unsafe {
            let ones = _mm256_set1_epi16(1);
            let (mut dots, mut pairs) = (_mm256_setzero_si256(), _mm256_setzero_si256());
            for (number, quants) in quants.iter().enumerate() {
                let four = _mm256_set1_epi32(bytes.add(4 * number).cast::<i32>().read_unaligned());
                let more = if bits == 8 {
                    let signed = _mm256_xor_si256(*quants, _mm256_set1_epi8(-128));
                    _mm256_maddubs_epi16(_mm256_abs_epi8(signed), _mm256_sign_epi8(four, signed))
                } else {
                    _mm256_maddubs_epi16(*quants, four)
                };
                pairs = if number % most == 0 { more } else { _mm256_add_epi16(pairs, more) };
                if number % most == most - 1 || number == COUNT - 1 {
                    dots = _mm256_add_epi32(dots, _mm256_madd_epi16(pairs, ones));
                }
            }
            dots
        }
    }
}
