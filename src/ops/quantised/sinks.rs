//! What becomes of numbers that were widened in registers.

use super::lanes::Lanes;
use crate::ops::tile::COLUMNS;

/// Takes the numbers of a panel, of one depth after the other.
pub(super) trait Sink<L: Lanes> {
    /// Takes the numbers of a `vector` of columns at a `depth`.
    ///
    /// # Safety
    /// The processor has the lanes' instructions, and the sink was made for that many depths and columns.
    unsafe fn take(&mut self, depth: usize, vector: usize, numbers: L::Numbers);
}

/// Writes numbers down, `[depth][32]`.
pub(super) struct Widened {
    /// Where the next depth goes.
    pub(super) to: *mut f32,
    /// The depth that goes there.
    pub(super) first: usize,
}

impl<L: Lanes> Sink<L> for Widened {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "gets the features of its caller")]
    unsafe fn take(&mut self, depth: usize, vector: usize, numbers: L::Numbers) {
        let place = (depth - self.first) * COLUMNS + vector * L::COLUMNS;
        // SAFETY: promised by the caller.
        unsafe { L::store(self.to.add(place), numbers) }
    }
}

/// Sums of products with the numbers of some rows, which stand side by side, depth by depth.
pub(super) struct Sums<L: Lanes, const ROWS: usize, const VECTORS: usize> {
    rows: *const f32,
    sums: [[L::Numbers; VECTORS]; ROWS],
}

impl<L: Lanes, const ROWS: usize, const VECTORS: usize> Sums<L, ROWS, VECTORS> {
    /// Sums of nothing yet.
    ///
    /// # Safety
    /// The processor has the lanes' instructions.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "gets the features of its caller")]
    pub(super) unsafe fn of(rows: *const f32) -> Self {
        // SAFETY: promised by the caller.
        Self { rows, sums: [[unsafe { L::zero() }; VECTORS]; ROWS] }
    }

    /// Writes the sums down, `[row][32]`.
    ///
    /// # Safety
    /// The processor has the lanes' instructions, and there is room.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "gets the features of its caller")]
    pub(super) unsafe fn store(&self, to: *mut f32) {
        for (row, sums) in self.sums.iter().enumerate() {
            for (vector, &sums) in sums.iter().enumerate() {
                // SAFETY: promised by the caller.
                unsafe { L::store(to.add(row * COLUMNS + vector * L::COLUMNS), sums) }
            }
        }
    }
}

impl<L: Lanes, const ROWS: usize, const VECTORS: usize> Sink<L> for Sums<L, ROWS, VECTORS> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "gets the features of its caller")]
    unsafe fn take(&mut self, depth: usize, vector: usize, numbers: L::Numbers) {
        for (row, sums) in self.sums.iter_mut().enumerate() {
            // SAFETY: promised by the caller.
            unsafe {
                let number = L::all(*self.rows.add(depth * ROWS + row));
                sums[vector] = L::product_and(number, numbers, sums[vector]);
            }
        }
    }
}
