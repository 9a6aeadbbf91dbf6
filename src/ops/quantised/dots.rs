//! What products of bytes ask of a set of instructions, beside what [`Lanes`] has.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::lanes::Lanes;

/// Whole numbers in registers of words.
///
/// # Safety
/// As [`Lanes`]; `Avx512` needs VNNI, too.
pub(super) trait Dots: Lanes {
    /// Whether products of 8 bits take quants less their offset of 128.
    const TAKES_OFFSET: bool;

    /// The same number in every column.
    unsafe fn all_words(number: i32) -> Self::Words;

    /// a + b.
    unsafe fn sum(a: Self::Words, b: Self::Words) -> Self::Words;

    /// a − b.
    unsafe fn difference(a: Self::Words, b: Self::Words) -> Self::Words;

    /// a · b.
    unsafe fn multiple(a: Self::Words, b: Self::Words) -> Self::Words;

    /// Words shifted towards their highest bit.
    unsafe fn up(words: Self::Words, bits: usize) -> Self::Words;

    /// The sum of the products of the unsigned bytes of all `quants`, of so many bits, with signed bytes:
    /// every column with the same four for each register.
    unsafe fn dot<const COUNT: usize>(
        quants: [Self::Words; COUNT],
        bits: usize,
        bytes: *const i8,
    ) -> Self::Words;
}
