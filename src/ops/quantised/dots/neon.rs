//! Products of bytes with NEON, without the instructions for whole sums of them that newer processors have.

use std::arch::aarch64::{
    uint32x4_t, vaddq_u32, vdupq_n_s32, vdupq_n_u8, vdupq_n_u32, veorq_u8, vget_low_s8,
    vmull_high_s8, vmull_s8, vmulq_u32, vpadalq_s16, vpaddq_s32, vreinterpretq_s8_s32,
    vreinterpretq_s8_u8, vreinterpretq_u8_u32, vreinterpretq_u32_s32, vshlq_u32, vsubq_u32,
};

use super::Dots;
use crate::ops::quantised::lanes::Neon;

#[allow(clippy::inline_always, reason = "gets the features of its caller")]
impl Dots for Neon {
    const TAKES_OFFSET: bool = true;

    #[inline(always)]
    unsafe fn all_words(number: i32) -> uint32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vdupq_n_u32(number.cast_unsigned()) }
    }

    #[inline(always)]
    unsafe fn sum(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vaddq_u32(a, b) }
    }

    #[inline(always)]
    unsafe fn difference(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vsubq_u32(a, b) }
    }

    #[inline(always)]
    unsafe fn multiple(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vmulq_u32(a, b) }
    }

    #[inline(always)]
    unsafe fn up(words: uint32x4_t, bits: usize) -> uint32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vshlq_u32(words, vdupq_n_s32(bits.cast_signed() as i32)) }
    }

    #[inline(always)]
    unsafe fn dot<const COUNT: usize>(
        quants: [uint32x4_t; COUNT],
        bits: usize,
        bytes: *const i8,
    ) -> uint32x4_t {
        // SAFETY: the caller has these instructions, and four bytes for each register of quants lie there.
        unsafe {
            // Two sums for each column: of the first two columns' and of the last two columns'.
            let (mut first, mut last) = (vdupq_n_s32(0), vdupq_n_s32(0));
            for (number, quants) in quants.iter().enumerate() {
                let four = bytes.add(4 * number).cast::<i32>().read_unaligned();
                let four = vreinterpretq_s8_s32(vdupq_n_s32(four));
                let own = vreinterpretq_u8_u32(*quants);
                // Quants of fewer bits are the same with a sign.
                let own = if bits == 8 { veorq_u8(own, vdupq_n_u8(128)) } else { own };
                let own = vreinterpretq_s8_u8(own);
                first = vpadalq_s16(first, vmull_s8(vget_low_s8(own), vget_low_s8(four)));
                last = vpadalq_s16(last, vmull_high_s8(own, four));
            }
            vreinterpretq_u32_s32(vpaddq_s32(first, last))
        }
    }
}
