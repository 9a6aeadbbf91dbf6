//! Numbers that begin at a cache line, so that no vector load straddles two.

use std::ops::{Deref, DerefMut};

/// One cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE_BYTES]);

const LINE_BYTES: usize = 64;

/// A fixed number of plain numbers, zero at first, aligned to a cache line.
#[derive(Clone)]
pub(super) struct Aligned<T> {
    lines: Box<[Line]>,
    length: usize,
    element: std::marker::PhantomData<T>,
}

/// Numbers for which all-zero bytes are zero, and every byte is initialised.
pub(super) trait Plain: Copy + Send + Sync + 'static {}
impl Plain for f32 {}
impl Plain for half::bf16 {}
impl Plain for half::f16 {}

impl<T: Plain> Aligned<T> {
    /// `length` zeros.
    pub(super) fn zeros(length: usize) -> Self {
        // Large ones are fresh from the system, which need not be written before they are used.
        let lines = Box::new_zeroed_slice((length * size_of::<T>()).div_ceil(LINE_BYTES));
        // SAFETY: a line of zeros is a line.
        let lines = unsafe { lines.assume_init() };
        Self { lines, length, element: std::marker::PhantomData }
    }

    /// Makes room for at least `length` numbers. What they are is not said.
    pub(super) fn reserve(&mut self, length: usize) {
        if self.length < length {
            *self = Self::zeros(length);
        }
    }
}

impl<T: Plain> Default for Aligned<T> {
    fn default() -> Self {
        Self::zeros(0)
    }
}

impl<T: Plain> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the lines hold at least `length` numbers of a plain type, all initialised, and a
        // line's alignment is a multiple of the type's.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.length) }
    }
}

impl<T: Plain> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; every bit pattern of a plain type is valid.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.length) }
    }
}

impl<T> std::fmt::Debug for Aligned<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Aligned({} numbers)", self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_at_a_cache_line() {
        for length in [17, 1 << 20] {
            let mut numbers = Aligned::<f32>::zeros(length);
            numbers[length - 1] = 3.0;
            assert_eq!(numbers.as_ptr() as usize % LINE_BYTES, 0);
            assert_eq!((numbers.len(), numbers.iter().sum::<f32>()), (length, 3.0));
        }
    }
}
