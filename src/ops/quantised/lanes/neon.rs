//! Registers of NEON.

use std::arch::aarch64::{
    float32x4_t, uint32x4_t, vandq_u32, vcreate_s8, vcreate_u8, vcvt_f32_f16, vcvtq_f32_s32,
    vdupq_n_f32, vdupq_n_s32, vdupq_n_u32, vfmaq_f32, vget_low_s16, vget_low_u16, vld1_u8,
    vld1q_u8, vmovl_s8, vmovl_s16, vmovl_u8, vmovl_u16, vmulq_f32, vnegq_f32, vorrq_u32,
    vreinterpret_f16_u8, vreinterpretq_s32_u32, vreinterpretq_u32_s32, vreinterpretq_u32_u8,
    vshlq_u32, vst1q_f32,
};

use super::Lanes;

/// Four columns.
pub(in crate::ops::quantised) struct Neon;

#[allow(clippy::inline_always, reason = "gets the features of its caller")]
impl Lanes for Neon {
    type Numbers = float32x4_t;
    type Words = uint32x4_t;
    const COLUMNS: usize = 4;

    #[inline(always)]
    unsafe fn zero() -> float32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vdupq_n_f32(0.0) }
    }

    #[inline(always)]
    unsafe fn all(number: f32) -> float32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vdupq_n_f32(number) }
    }

    #[inline(always)]
    unsafe fn halves(from: *const u8) -> float32x4_t {
        // SAFETY: the caller has these instructions, and a register of numbers there.
        unsafe { vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(from))) }
    }

    #[inline(always)]
    unsafe fn bytes(from: *const u8) -> uint32x4_t {
        // SAFETY: the caller has these instructions, and a register of numbers there.
        unsafe {
            let four = vcreate_u8(u64::from(from.cast::<u32>().read_unaligned()));
            vmovl_u16(vget_low_u16(vmovl_u8(four)))
        }
    }

    #[inline(always)]
    unsafe fn signed_bytes(from: *const u8) -> uint32x4_t {
        // SAFETY: the caller has these instructions, and a register of numbers there.
        unsafe {
            let four = vcreate_s8(u64::from(from.cast::<u32>().read_unaligned()));
            vreinterpretq_u32_s32(vmovl_s16(vget_low_s16(vmovl_s8(four))))
        }
    }

    #[inline(always)]
    unsafe fn words(from: *const u8) -> uint32x4_t {
        // SAFETY: the caller has these instructions, and a register of numbers there.
        unsafe { vreinterpretq_u32_u8(vld1q_u8(from)) }
    }

    #[inline(always)]
    unsafe fn and(words: uint32x4_t, mask: u32) -> uint32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vandq_u32(words, vdupq_n_u32(mask)) }
    }

    #[inline(always)]
    unsafe fn or(words: uint32x4_t, more: uint32x4_t) -> uint32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vorrq_u32(words, more) }
    }

    #[inline(always)]
    unsafe fn down(words: uint32x4_t, bits: usize) -> uint32x4_t {
        // A shift by a constant, once this is inlined.
        // SAFETY: the caller has these instructions.
        unsafe { vshlq_u32(words, vdupq_n_s32(-(bits.cast_signed() as i32))) }
    }

    #[inline(always)]
    unsafe fn number(words: uint32x4_t) -> float32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vcvtq_f32_s32(vreinterpretq_s32_u32(words)) }
    }

    #[inline(always)]
    unsafe fn product(a: float32x4_t, b: float32x4_t) -> float32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vmulq_f32(a, b) }
    }

    #[inline(always)]
    unsafe fn product_and(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vfmaq_f32(c, a, b) }
    }

    #[inline(always)]
    unsafe fn product_less(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
        // SAFETY: the caller has these instructions.
        unsafe { vfmaq_f32(vnegq_f32(c), a, b) }
    }

    /// Left to the processor: on none of these was it measured.
    #[inline(always)]
    fn fetch(_: *const u8) {}

    #[inline(always)]
    unsafe fn store(to: *mut f32, numbers: float32x4_t) {
        // SAFETY: the caller has these instructions, and room for a register there.
        unsafe { vst1q_f32(to, numbers) }
    }
}
