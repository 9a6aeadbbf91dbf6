//! Quants widened in registers, where they meet the numbers of a few rows or are written down.
//!
//! What a mask leaves of a word is a quant times a power of two, which its step makes up for: both are
//! exact, and no word is shifted. One multiply-add then makes the number, `quant · step − floor`; for
//! formats without floors it takes away `offset · step`, exactly. It gives the bits of the loops in
//! `widening`, but for the sign of a zero.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::ops::Range;

use super::format::{Factors, Format};
use super::kinds::{Kind, with_kind};
use super::lanes::Lanes;
use super::sinks::Sink;
use super::unit::WORDS_BYTES;
use super::words::{SPAN, fields, mask, pieces};
use crate::ops::simd::InstructionSet;
use crate::ops::tile::COLUMNS;

/// Most rows whose sums stay in registers.
pub(super) const MOST_ROWS: usize = 4;
/// How far ahead words are fetched: by itself the processor stops where a page ends. From main memory
/// a row meets 19 G numbers of `Q8_0` a second on a Zen 4 core with this, 17 without and 13 with 3072.
const PREFETCH_BYTES: usize = 512;
/// Bytes that are fetched together.
const LINE_BYTES: usize = 64;

/// As [`widen`](super::widening::widen), where there is vector code for it: says so.
pub(super) fn widen(
    instructions: InstructionSet,
    format: Format,
    panel: &[u8],
    first: usize,
    numbers: &mut [f32],
) -> bool {
    let depths = first..first + numbers.len() / COLUMNS;
    check(format, panel, &depths);
    let to = numbers.as_mut_ptr();
    match instructions {
        // SAFETY: the processor has the instructions, and the bounds were checked.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => unsafe {
            with_kind!(format, K => x86::avx512_widen::<K>(panel.as_ptr(), depths, to))
        },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => unsafe {
            with_kind!(format, K => x86::avx2_widen::<K>(panel.as_ptr(), depths, to))
        },
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        InstructionSet::Neon => unsafe {
            with_kind!(format, K => neon::widen::<K>(panel.as_ptr(), depths, to))
        },
        InstructionSet::Portable => false,
    }
}

/// As [`multiply`](super::widening::multiply), for up to [`MOST_ROWS`] rows and where there is vector
/// code for it: says so.
pub(super) fn multiply(
    instructions: InstructionSet,
    format: Format,
    panel: &[u8],
    count: usize,
    rows: &[f32],
    products: &mut [f32],
) -> bool {
    let depths = 0..rows.len() / count;
    check(format, panel, &depths);
    assert!(products.len() >= count * COLUMNS, "no room for the products");
    let (panel, rows, to) = (panel.as_ptr(), rows.as_ptr(), products.as_mut_ptr());
    match (instructions, count) {
        // SAFETY: the processor has the instructions, and the bounds were checked.
        #[cfg(target_arch = "x86_64")]
        (InstructionSet::Avx512, 1..=MOST_ROWS) => unsafe {
            with_kind!(format, K => match count {
                1 => x86::avx512_multiply::<K, 1>(panel, depths, rows, to),
                2 => x86::avx512_multiply::<K, 2>(panel, depths, rows, to),
                3 => x86::avx512_multiply::<K, 3>(panel, depths, rows, to),
                _ => x86::avx512_multiply::<K, MOST_ROWS>(panel, depths, rows, to),
            })
        },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (InstructionSet::Avx2, 1..=MOST_ROWS) => unsafe {
            with_kind!(format, K => match count {
                1 => x86::avx2_multiply::<K, 1, 4>(panel, depths, rows, to),
                2 => x86::avx2_multiply::<K, 2, 2>(panel, depths, rows, to),
                3 => x86::avx2_multiply::<K, 3, 2>(panel, depths, rows, to),
                _ => x86::avx2_multiply::<K, MOST_ROWS, 2>(panel, depths, rows, to),
            })
        },
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        (InstructionSet::Neon, 1..=MOST_ROWS) => unsafe {
            with_kind!(format, K => match count {
                1 => neon::multiply::<K, 1>(panel, depths, rows, to),
                2 => neon::multiply::<K, 2>(panel, depths, rows, to),
                3 => neon::multiply::<K, 3>(panel, depths, rows, to),
                _ => neon::multiply::<K, MOST_ROWS>(panel, depths, rows, to),
            })
        },
        _ => false,
    }
}

fn check(format: Format, panel: &[u8], depths: &Range<usize>) {
    let units = depths.end.div_ceil(format.depth);
    let bytes = super::unit::Parts::of(format).bytes;
    assert!(panel.len() >= units * bytes, "the panel is too short");
    assert!(depths.start.is_multiple_of(SPAN) && depths.end.is_multiple_of(SPAN), "not spans");
}

/// Steps, and what is taken away, of a group: a register of each for every vector of columns.
struct Group<L: Lanes, const VECTORS: usize> {
    steps: [L::Numbers; VECTORS],
    floors: [L::Numbers; VECTORS],
}

impl<L: Lanes, const VECTORS: usize> Clone for Group<L, VECTORS> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Lanes, const VECTORS: usize> Copy for Group<L, VECTORS> {}

/// Gives the numbers of all `depths` to `sink`, from `column` on.
///
/// # Safety
/// The processor has the lanes' instructions, and the panel reaches as far as `depths`, which begin and
/// end with a span.
#[inline(always)]
#[expect(clippy::inline_always, reason = "gets the features of its caller")]
unsafe fn for_each_span<L: Lanes, K: Kind, S: Sink<L>, const VECTORS: usize>(
    panel: *const u8,
    column: usize,
    depths: Range<usize>,
    sink: &mut S,
) {
    let (format, parts) = (K::FORMAT, K::PARTS);
    for depth in depths.step_by(SPAN) {
        let inside = depth % format.depth;
        // SAFETY: the panel reaches as far as `depths`.
        unsafe {
            let unit = panel.add(depth / format.depth * parts.bytes);
            let mut blocks =
                Group::<L, VECTORS> { steps: [L::zero(); VECTORS], floors: [L::zero(); VECTORS] };
            for vector in 0..VECTORS {
                let halves = 2 * (column + vector * L::COLUMNS);
                blocks.steps[vector] = L::halves(unit.add(halves));
                if format.floor {
                    blocks.floors[vector] = L::halves(unit.add(parts.floors + halves));
                }
            }
            // Closures would not get the features of the caller.
            let first = group::<L, K, VECTORS>(&blocks, unit.add(column), inside / format.group);
            let last = (inside + SPAN - 1) / format.group;
            let last = group::<L, K, VECTORS>(&blocks, unit.add(column), last);
            let groups = [first, last];
            let words = parts.words + inside / SPAN * K::BITS * WORDS_BYTES + 4 * column;
            span::<L, K, S, VECTORS>(unit.add(words), &groups, depth, sink);
        }
    }
}

/// A group's steps and floors, from the block's.
///
/// # Safety
/// The processor has the lanes' instructions, and `unit` is a unit of the kind from some column on.
#[inline(always)]
#[expect(clippy::inline_always, reason = "gets the features of its caller")]
unsafe fn group<L: Lanes, K: Kind, const VECTORS: usize>(
    blocks: &Group<L, VECTORS>,
    unit: *const u8,
    group: usize,
) -> Group<L, VECTORS> {
    let format = K::FORMAT;
    let mut found = *blocks;
    for vector in 0..VECTORS {
        // SAFETY: the factors are part of the unit.
        unsafe {
            let factors = unit.add(K::PARTS.factors + group * COLUMNS + vector * L::COLUMNS);
            let (step, floor) = (&mut found.steps[vector], &mut found.floors[vector]);
            match format.factors {
                Factors::One => {}
                Factors::Steps => {
                    *step = L::product(*step, L::number(L::signed_bytes(factors)));
                }
                Factors::StepsAndFloors => {
                    let more = factors.add(format.groups() * COLUMNS);
                    *step = L::product(*step, L::number(L::bytes(factors)));
                    *floor = L::product(*floor, L::number(L::bytes(more)));
                }
                Factors::Nibbles => {
                    let both = L::bytes(factors);
                    *step = L::product(*step, L::number(L::and(both, 15)));
                    *floor = L::product(*floor, L::number(L::down(both, 4)));
                }
            }
            if !format.floor {
                *floor = L::product(*step, L::all(f32::from(format.offset)));
            }
        }
    }
    found
}

/// Gives the numbers of a span to `sink`.
///
/// # Safety
/// As [`for_each_span`], with `words` those of a span.
#[inline(always)]
unsafe fn span<L: Lanes, K: Kind, S: Sink<L>, const VECTORS: usize>(
    words: *const u8,
    groups: &[Group<L, VECTORS>; 2],
    depth: usize,
    sink: &mut S,
) {
    // Written out, so that the place of every quant is known when this is compiled.
    macro_rules! each {
        ($function:ident of $range:expr, $($number:literal)*) => {$(
            if ($range).contains(&$number) {
                // SAFETY: promised by the caller.
                unsafe { $function::<L, K, S, VECTORS, $number>(words, groups, depth, sink) }
            }
        )*};
    }
    each!(word of 0..K::BITS, 0 1 2 3 4 5 6 7);
    each!(stray of K::BITS * fields(K::BITS)..SPAN, 30 31);
}

/// Gives the quants that a word holds whole to `sink`.
///
/// # Safety
/// As [`span`].
#[inline(always)]
#[expect(clippy::inline_always, reason = "gets the features of its caller")]
unsafe fn word<L: Lanes, K: Kind, S: Sink<L>, const VECTORS: usize, const WORD: usize>(
    words: *const u8,
    groups: &[Group<L, VECTORS>; 2],
    depth: usize,
    sink: &mut S,
) {
    let (bits, fields) = (K::BITS, fields(K::BITS));
    // SAFETY: promised by the caller; what is fetched ahead may be anything.
    unsafe {
        let mut own = [L::words(words); VECTORS];
        for (vector, own) in own.iter_mut().enumerate() {
            let from = words.add(WORD * WORDS_BYTES + 4 * vector * L::COLUMNS);
            if (4 * vector * L::COLUMNS).is_multiple_of(LINE_BYTES) {
                L::fetch(from.wrapping_add(PREFETCH_BYTES));
            }
            *own = L::words(from);
        }
        for field in 0..fields {
            let place = WORD * fields + field;
            let Group { steps, floors } = groups[place / K::FORMAT.group];
            let shift = bits * field;
            for vector in 0..VECTORS {
                let (quants, step) = if shift + bits == u32::BITS as usize {
                    // With the highest bit it would be a negative number.
                    (L::down(own[vector], shift), steps[vector])
                } else {
                    let step = L::product(steps[vector], L::all(power_of_two(shift)));
                    (L::and(own[vector], mask(bits) << shift), step)
                };
                let numbers = L::product_less(L::number(quants), step, floors[vector]);
                sink.take(depth + place, vector, numbers);
            }
        }
    }
}

/// Gives a quant whose bits lie in several words to `sink`.
///
/// # Safety
/// As [`span`].
#[inline(always)]
#[expect(clippy::inline_always, reason = "gets the features of its caller")]
unsafe fn stray<L: Lanes, K: Kind, S: Sink<L>, const VECTORS: usize, const PLACE: usize>(
    words: *const u8,
    groups: &[Group<L, VECTORS>; 2],
    depth: usize,
    sink: &mut S,
) {
    let pieces = const { pieces(K::BITS, PLACE) };
    let Group { steps, floors } = groups[PLACE / K::FORMAT.group];
    for vector in 0..VECTORS {
        // SAFETY: promised by the caller.
        unsafe {
            let mut quants = None;
            for piece in pieces {
                if piece.bits > 0 {
                    let from = words.add(piece.word * WORDS_BYTES + 4 * vector * L::COLUMNS);
                    let moved = L::down(L::words(from), piece.from - piece.to);
                    let part = L::and(moved, mask(piece.bits) << piece.to);
                    quants = Some(quants.map_or(part, |quants| L::or(quants, part)));
                }
            }
            if let Some(quants) = quants {
                let numbers = L::product_less(L::number(quants), steps[vector], floors[vector]);
                sink.take(depth + PLACE, vector, numbers);
            }
        }
    }
}

/// 2 to the power of `−exponent`, which is small.
const fn power_of_two(exponent: usize) -> f32 {
    f32::from_bits((127 - exponent as u32) << 23)
}
