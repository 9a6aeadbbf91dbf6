//! Scores to weights, e to the power of score less the highest, and their sums.
//!
//! These are the steps of [`curves::exp`] in their order, so the bits are the same; but written out for
//! several registers at a time. One register's steps wait for each other, and the compiler puts the
//! registers one after the other, where they fill the processor's queues.

use crate::ops::curves;
use crate::ops::simd::InstructionSet;
use crate::ops::tile::VECTOR;

/// Replaces `scores` by exp(score − highest) and adds them to `sums`, place by place of a vector, in order.
/// No score is higher than `highest`.
pub(super) fn put_exponentials(
    instructions: InstructionSet,
    scores: &mut [[f32; VECTOR]],
    highest: f32,
    sums: &mut [f32; VECTOR],
) {
    match instructions {
        // SAFETY: `instructions` only comes from asking the processor.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => unsafe { avx512::put(scores, highest, sums) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => unsafe { avx2::put(scores, highest, sums) },
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        InstructionSet::Neon => unsafe { neon::put(scores, highest, sums) },
        InstructionSet::Portable => {
            for vector in scores {
                for (sum, score) in sums.iter_mut().zip(vector) {
                    *score = curves::exp(*score - highest);
                    *sum += *score;
                }
            }
        }
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! exponentials {
    (
        $module:ident, $processor:ident, $features:literal, $register:ident, $lanes:literal, $beside:literal,
        $load:ident, $store:ident, $set:ident, $add:ident, $subtract:ident, $multiply:ident,
        $half_power:expr, $zero_below:expr $(,)?
    ) => {
        mod $module {
            #[allow(clippy::wildcard_imports, reason = "all that its instructions are called")]
            use std::arch::$processor::*;

            use crate::ops::curves::{EXP_POLYNOMIAL, LEAST_EXPONENT, LN_2, ROUNDING};
            use crate::ops::tile::VECTOR;

            /// Registers of a vector.
            const REGISTERS: usize = VECTOR / $lanes;
            /// Vectors that are computed side by side.
            const BESIDE: usize = $beside;

            /// # Safety
            /// The processor has the instructions.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn put(
                scores: &mut [[f32; VECTOR]],
                highest: f32,
                sums: &mut [f32; VECTOR],
            ) {
                let highest = $set(highest);
                let (several, rest) = scores.as_chunks_mut::<BESIDE>();
                let mut totals = [$set(0.0); REGISTERS];
                // SAFETY: promised by the caller; a register of sums takes as many as it has lanes.
                unsafe {
                    for (total, sums) in totals.iter_mut().zip(sums.chunks_exact($lanes)) {
                        *total = $load(sums.as_ptr());
                    }
                    for vectors in several {
                        let scores = vectors.as_flattened_mut();
                        beside::<{ BESIDE * REGISTERS }>(scores, highest, &mut totals);
                    }
                    for vector in rest {
                        beside::<REGISTERS>(vector, highest, &mut totals);
                    }
                    for (total, sums) in totals.iter().zip(sums.chunks_exact_mut($lanes)) {
                        $store(sums.as_mut_ptr(), *total);
                    }
                }
            }

            /// # Safety
            /// The processor has the instructions, and there are `COUNT` registers of scores.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn beside<const COUNT: usize>(
                scores: &mut [f32],
                highest: $register,
                totals: &mut [$register; REGISTERS],
            ) {
                let mut x = [$set(0.0); COUNT];
                for (x, scores) in x.iter_mut().zip(scores.chunks_exact($lanes)) {
                    // SAFETY: there are so many numbers.
                    *x = $subtract(unsafe { $load(scores.as_ptr()) }, highest);
                }
                let mut shifted = x;
                for shifted in &mut shifted {
                    let power = $multiply(*shifted, $set(std::f32::consts::LOG2_E));
                    *shifted = $add(power, $set(ROUNDING));
                }
                let mut r = x;
                for (r, shifted) in r.iter_mut().zip(&shifted) {
                    let whole = $subtract(*shifted, $set(ROUNDING));
                    *r = $subtract(*r, $multiply(whole, $set(LN_2[0])));
                    *r = $add(*r, $multiply(whole, $set(LN_2[1])));
                }
                let mut p = [$set(EXP_POLYNOMIAL[0]); COUNT];
                for factor in &EXP_POLYNOMIAL[1..] {
                    for (p, r) in p.iter_mut().zip(&r) {
                        *p = $add($multiply(*p, *r), $set(*factor));
                    }
                }
                for (p, r) in p.iter_mut().zip(&r) {
                    *p = $add($add($multiply(*p, $multiply(*r, *r)), *r), $set(1.0));
                }
                for ((p, shifted), x) in p.iter_mut().zip(&shifted).zip(&x) {
                    let half = $multiply(*p, $half_power(*shifted));
                    *p = $zero_below(*x, $set(LEAST_EXPONENT), $add(half, half));
                }
                let vectors = p.chunks_exact(REGISTERS).zip(scores.chunks_exact_mut(VECTOR));
                for (values, scores) in vectors {
                    let registers = scores.chunks_exact_mut($lanes).zip(values);
                    for (total, (scores, value)) in totals.iter_mut().zip(registers) {
                        // SAFETY: a register takes as many numbers as it has lanes.
                        unsafe { $store(scores.as_mut_ptr(), *value) };
                        *total = $add(*total, *value);
                    }
                }
            }
        }
    };
}

/// What makes half of 2ᵏ of ROUNDING + k: added to its bits, and the sum shifted to the exponent.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const TO_EXPONENT: i32 = 126 - curves::ROUNDING.to_bits().cast_signed();

#[cfg(target_arch = "x86_64")]
exponentials!(
    avx2,
    x86_64,
    "avx2,fma",
    __m256,
    8,
    2,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_set1_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    |shifted| {
        let bits = _mm256_castps_si256(shifted);
        let exponent = _mm256_add_epi32(bits, _mm256_set1_epi32(super::TO_EXPONENT));
        _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent))
    },
    |x, least, value| _mm256_andnot_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(x, least), value),
);

#[cfg(target_arch = "x86_64")]
exponentials!(
    avx512,
    x86_64,
    "avx512f,avx512bw,avx512dq,avx512vl",
    __m512,
    16,
    4,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_set1_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    |shifted| {
        let bits = _mm512_castps_si512(shifted);
        let exponent = _mm512_add_epi32(bits, _mm512_set1_epi32(super::TO_EXPONENT));
        _mm512_castsi512_ps(_mm512_slli_epi32::<23>(exponent))
    },
    |x, least, value| _mm512_mask_mov_ps(
        value,
        _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, least),
        _mm512_set1_ps(0.0)
    ),
);

#[cfg(target_arch = "aarch64")]
exponentials!(
    neon,
    aarch64,
    "neon",
    float32x4_t,
    4,
    1,
    vld1q_f32,
    vst1q_f32,
    vdupq_n_f32,
    vaddq_f32,
    vsubq_f32,
    vmulq_f32,
    |shifted| {
        let bits = vreinterpretq_s32_f32(shifted);
        let exponent = vaddq_s32(bits, vdupq_n_s32(super::TO_EXPONENT));
        vreinterpretq_f32_s32(vshlq_n_s32::<23>(exponent))
    },
    |x, least, value| vreinterpretq_f32_u32(vbicq_u32(
        vreinterpretq_u32_f32(value),
        vcltq_f32(x, least)
    )),
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_has_the_bits_of_exp() {
        for vectors in 0..5 {
            let scores: Vec<[f32; VECTOR]> = (0..vectors)
                .map(|vector| {
                    std::array::from_fn(|lane| match (vector * VECTOR + lane) % 23 {
                        7 => f32::NEG_INFINITY,
                        9 => f32::NAN,
                        11 => 3.5,
                        13 => -83.399,
                        15 => -83.401,
                        place => 3.5 - (place * place) as f32 * 0.217 - lane as f32 * 1e-3,
                    })
                })
                .collect();
            let mut expected = ([[0.25; VECTOR]; 1], scores.clone());
            for vector in &mut expected.1 {
                for (sum, score) in expected.0[0].iter_mut().zip(vector) {
                    *score = curves::exp(*score - 3.5);
                    *sum += *score;
                }
            }
            let bits = |numbers: &[[f32; VECTOR]]| -> Vec<u32> {
                // What is no number may have any bits of such.
                let kept = |number: &f32| if number.is_nan() { 1 } else { number.to_bits() };
                numbers.as_flattened().iter().map(kept).collect()
            };
            for instructions in InstructionSet::available() {
                let (mut found, mut sums) = (scores.clone(), [0.25; VECTOR]);
                put_exponentials(instructions, &mut found, 3.5, &mut sums);
                assert_eq!(bits(&found), bits(&expected.1), "{instructions:?}");
                assert_eq!(bits(&[sums]), bits(&expected.0), "{instructions:?}");
            }
        }
    }
}
