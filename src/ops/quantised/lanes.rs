//! What the vector code asks of a set of instructions: registers of columns, and what is done to them.
//!
//! The functions are inlined into functions that are compiled with the instructions, which is also what
//! makes calling them sound.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

/// Registers of a set of instructions.
///
/// # Safety
/// Every function asks for the instructions, and for as many numbers as a register has columns to be
/// where it reads or writes.
pub(super) trait Lanes {
    /// A register of f32.
    type Numbers: Copy;

    /// A register of words.
    type Words: Copy;

    /// Columns of a register.
    const COLUMNS: usize;

    /// Zero in every column.
    unsafe fn zero() -> Self::Numbers;

    /// The same number in every column.
    unsafe fn all(number: f32) -> Self::Numbers;

    /// f16 numbers as f32.
    unsafe fn halves(from: *const u8) -> Self::Numbers;

    /// Bytes as words.
    unsafe fn bytes(from: *const u8) -> Self::Words;

    /// Signed bytes as words of two's complement.
    unsafe fn signed_bytes(from: *const u8) -> Self::Words;

    /// Words as they are.
    unsafe fn words(from: *const u8) -> Self::Words;

    /// Those bits of each word that `mask` has.
    unsafe fn and(words: Self::Words, mask: u32) -> Self::Words;

    /// The bits that either word has.
    unsafe fn or(words: Self::Words, more: Self::Words) -> Self::Words;

    /// Words shifted towards their lowest bit.
    unsafe fn down(words: Self::Words, bits: usize) -> Self::Words;

    /// Signed words as f32, each rounded once.
    unsafe fn number(words: Self::Words) -> Self::Numbers;

    /// a · b.
    unsafe fn product(a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;

    /// a · b + c in one rounding.
    unsafe fn product_and(a: Self::Numbers, b: Self::Numbers, c: Self::Numbers) -> Self::Numbers;

    /// a · b − c in one rounding.
    unsafe fn product_less(a: Self::Numbers, b: Self::Numbers, c: Self::Numbers) -> Self::Numbers;

    /// Asks for memory that is read soon, where that was seen to help; anything may be there.
    fn fetch(from: *const u8);

    /// Writes a register.
    unsafe fn store(to: *mut f32, numbers: Self::Numbers);
}
