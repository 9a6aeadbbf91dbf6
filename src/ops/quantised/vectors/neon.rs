//! Widening with NEON: half of the columns at a time, so that steps, floors, words and sums stay in registers.

use std::ops::Range;

use super::for_each_span;
use crate::ops::quantised::kinds::Kind;
use crate::ops::quantised::lanes::{Lanes, Neon};
use crate::ops::quantised::sinks::{Sums, Widened};
use crate::ops::tile::COLUMNS;

/// Registers of columns at a time.
const VECTORS: usize = 4;

/// # Safety
/// The processor has the instructions, and the panel and the numbers reach as far as `depths` say.
#[target_feature(enable = "neon")]
pub(super) unsafe fn widen<K: Kind>(panel: *const u8, depths: Range<usize>, to: *mut f32) {
    // SAFETY: promised by the caller.
    unsafe {
        for column in (0..COLUMNS).step_by(VECTORS * Neon::COLUMNS) {
            let mut sink = Widened { to: to.add(column), first: depths.start };
            for_each_span::<Neon, K, _, VECTORS>(panel, column, depths.clone(), &mut sink);
        }
    }
}

/// # Safety
/// As [`widen`]; `rows` and `to` hold `ROWS` rows.
#[target_feature(enable = "neon")]
pub(super) unsafe fn multiply<K: Kind, const ROWS: usize>(
    panel: *const u8,
    depths: Range<usize>,
    rows: *const f32,
    to: *mut f32,
) {
    // SAFETY: promised by the caller.
    unsafe {
        for column in (0..COLUMNS).step_by(VECTORS * Neon::COLUMNS) {
            let mut sums = Sums::<Neon, ROWS, VECTORS>::of(rows);
            for_each_span::<Neon, K, _, VECTORS>(panel, column, depths.clone(), &mut sums);
            sums.store(to.add(column));
        }
    }
}
