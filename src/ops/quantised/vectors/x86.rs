//! Widening with AVX-512 and AVX2.

use std::ops::Range;

use super::for_each_span;
use crate::ops::quantised::kinds::Kind;
use crate::ops::quantised::lanes::{Avx2, Avx512, Lanes};
use crate::ops::quantised::sinks::{Sums, Widened};
use crate::ops::tile::COLUMNS;

/// # Safety
/// The processor has the instructions, and the panel and the numbers reach as far as `depths` say.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) unsafe fn avx512_widen<K: Kind>(panel: *const u8, depths: Range<usize>, to: *mut f32) {
    let mut sink = Widened { to, first: depths.start };
    // SAFETY: promised by the caller.
    unsafe { for_each_span::<Avx512, K, _, 2>(panel, 0, depths, &mut sink) }
}

/// # Safety
/// As [`avx512_widen`].
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn avx2_widen<K: Kind>(panel: *const u8, depths: Range<usize>, to: *mut f32) {
    let mut sink = Widened { to, first: depths.start };
    // SAFETY: promised by the caller.
    unsafe { for_each_span::<Avx2, K, _, 4>(panel, 0, depths, &mut sink) }
}

/// # Safety
/// As [`avx512_widen`]; `rows` and `to` hold `ROWS` rows.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) unsafe fn avx512_multiply<K: Kind, const ROWS: usize>(
    panel: *const u8,
    depths: Range<usize>,
    rows: *const f32,
    to: *mut f32,
) {
    // SAFETY: promised by the caller.
    unsafe {
        let mut sums = Sums::<Avx512, ROWS, 2>::of(rows);
        for_each_span::<Avx512, K, _, 2>(panel, 0, depths, &mut sums);
        sums.store(to);
    }
}

/// # Safety
/// As [`avx512_multiply`].
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn avx2_multiply<K: Kind, const ROWS: usize, const VECTORS: usize>(
    panel: *const u8,
    depths: Range<usize>,
    rows: *const f32,
    to: *mut f32,
) {
    // SAFETY: promised by the caller.
    unsafe {
        for column in (0..COLUMNS).step_by(VECTORS * Avx2::COLUMNS) {
            let mut sums = Sums::<Avx2, ROWS, VECTORS>::of(rows);
            for_each_span::<Avx2, K, _, VECTORS>(panel, column, depths.clone(), &mut sums);
            sums.store(to.add(column));
        }
    }
}
