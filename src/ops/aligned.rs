//! Numbers that begin at a cache line, so that no vector load straddles two.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// One cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE_BYTES]);

const LINE_BYTES: usize = 64;

/// From here on numbers get pages of their own: allocators round such sizes up by a third.
const PAGES_BYTES: usize = 1 << 20;

/// Where the numbers are.
enum Allocation {
    Lines(Box<[Line]>),
    Pages(MmapMut),
}

/// A fixed number of plain numbers, zero at first, aligned to a cache line.
pub(super) struct Aligned<T> {
    allocation: Allocation,
    length: usize,
    element: std::marker::PhantomData<T>,
}

/// Numbers for which all-zero bytes are zero, and every byte is initialised.
pub(super) trait Plain: Copy + Send + Sync + 'static {}
impl Plain for f32 {}
impl Plain for half::bf16 {}
impl Plain for half::f16 {}
impl Plain for u8 {}

impl<T: Plain> Aligned<T> {
    /// `length` zeros.
    pub(super) fn zeros(length: usize) -> Self {
        let bytes = length * size_of::<T>();
        // Large ones are fresh from the system, which need not be written before they are used.
        let pages = (bytes >= PAGES_BYTES).then(|| pages(bytes)).flatten();
        let allocation = pages.map_or_else(
            || {
                let lines = Box::new_zeroed_slice(bytes.div_ceil(LINE_BYTES));
                // SAFETY: a line of zeros is a line.
                Allocation::Lines(unsafe { lines.assume_init() })
            },
            Allocation::Pages,
        );
        Self { allocation, length, element: std::marker::PhantomData }
    }

    /// Makes room for at least `length` numbers. What they are is not said.
    pub(super) fn reserve(&mut self, length: usize) {
        if self.length < length {
            *self = Self::zeros(length);
        }
    }
}

/// Fresh pages, large ones where the system has them: weights are touched from end to end, so a fault
/// for every 4 KiB costs more than what is copied there.
fn pages(bytes: usize) -> Option<MmapMut> {
    let pages = MmapMut::map_anon(bytes).ok()?;
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

impl<T: Plain> Default for Aligned<T> {
    fn default() -> Self {
        Self::zeros(0)
    }
}

impl<T: Plain> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let first = match &self.allocation {
            Allocation::Lines(lines) => lines.as_ptr().cast(),
            Allocation::Pages(pages) => pages.as_ptr().cast(),
        };
        // SAFETY: the allocation holds at least `length` numbers of a plain type, all initialised, and the
        // alignment of lines and of pages is a multiple of the type's.
        unsafe { std::slice::from_raw_parts(first, self.length) }
    }
}

impl<T: Plain> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let first = match &mut self.allocation {
            Allocation::Lines(lines) => lines.as_mut_ptr().cast(),
            Allocation::Pages(pages) => pages.as_mut_ptr().cast(),
        };
        // SAFETY: as in `deref`; every bit pattern of a plain type is valid.
        unsafe { std::slice::from_raw_parts_mut(first, self.length) }
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
