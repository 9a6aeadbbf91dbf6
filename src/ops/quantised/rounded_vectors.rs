//! Products of a panel with rows that were rounded, by products of bytes in registers.

use super::dots::Dots;
use super::format::{Factors, Format};
use super::kinds::{Kind, with_kind};
use super::lanes::Lanes;
#[cfg(target_arch = "aarch64")]
use super::lanes::Neon;
#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2, Avx512};
use super::rounded_rows::RoundedRows;
use super::unit::{Parts, WORDS_BYTES};
use super::words::{SPAN, planes};
use crate::ops::simd::InstructionSet;
use crate::ops::tile::COLUMNS;

/// Most rows that a panel meets at once.
const MOST_ROWS: usize = 4;
/// Bytes that are fetched together.
const LINE_BYTES: usize = 64;

/// As [`multiply`](super::rounded_product::multiply), where there is vector code for it: says so.
pub(super) fn multiply(
    instructions: InstructionSet,
    format: Format,
    panel: &[u8],
    rows: &RoundedRows,
    products: &mut [f32],
) -> bool {
    if instructions == InstructionSet::Portable {
        return false;
    }
    let count = rows.numbers.len() / rows.spans.max(1);
    let blocks = rows.spans * SPAN / format.depth;
    assert!(panel.len() >= blocks * Parts::of(format).bytes, "the panel is too short");
    assert!(products.len() >= count * COLUMNS, "no room for the products");
    for first in (0..count).step_by(MOST_ROWS) {
        let to = products[first * COLUMNS..].as_mut_ptr();
        let left = count - first;
        let panel = panel.as_ptr();
        macro_rules! with {
            ($function:ident) => {
                // SAFETY: the processor has the instructions, and the bounds were checked.
                unsafe {
                    with_kind!(format, K => match left {
                        1 => $function::<K, 1>(panel, blocks, rows, first, to),
                        2 => $function::<K, 2>(panel, blocks, rows, first, to),
                        3 => $function::<K, 3>(panel, blocks, rows, first, to),
                        _ => $function::<K, MOST_ROWS>(panel, blocks, rows, first, to),
                    })
                }
            };
        }
        let known = match instructions {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 if is_x86_feature_detected!("avx512vnni") => with!(avx512),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 | InstructionSet::Avx2 => with!(avx2),
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon => with!(neon),
            InstructionSet::Portable => false,
        };
        if !known {
            return false;
        }
    }
    true
}

/// # Safety
/// The processor has the instructions, `panel` holds so many blocks of each column, and `to` has room for
/// `ROWS` rows, which are there from `first` on.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
unsafe fn avx512<K: Kind, const ROWS: usize>(
    panel: *const u8,
    blocks: usize,
    rows: &RoundedRows,
    first: usize,
    to: *mut f32,
) {
    // SAFETY: promised by the caller.
    unsafe { product::<Avx512, K, ROWS, 2>(panel, blocks, rows, first, to) }
}

/// # Safety
/// As [`avx512`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2<K: Kind, const ROWS: usize>(
    panel: *const u8,
    blocks: usize,
    rows: &RoundedRows,
    first: usize,
    to: *mut f32,
) {
    // SAFETY: promised by the caller.
    unsafe { product::<Avx2, K, ROWS, 4>(panel, blocks, rows, first, to) }
}

/// # Safety
/// The processor has the instructions, `panel` holds so many blocks of each column, and `to` has room for
/// `ROWS` rows, which are there from `first` on.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
unsafe fn neon<K: Kind, const ROWS: usize>(
    panel: *const u8,
    blocks: usize,
    rows: &RoundedRows,
    first: usize,
    to: *mut f32,
) {
    // SAFETY: promised by the caller.
    unsafe { product::<Neon, K, ROWS, 8>(panel, blocks, rows, first, to) }
}

/// # Safety
/// The processor has the lanes' instructions, `panel` holds so many blocks of each column, and `to` has
/// room for `ROWS` rows, which are there from `first` on.
#[inline(always)]
#[expect(clippy::inline_always, reason = "gets the features of its caller")]
unsafe fn product<L: Dots, K: Kind, const ROWS: usize, const VECTORS: usize>(
    panel: *const u8,
    blocks: usize,
    rows: &RoundedRows,
    first: usize,
    to: *mut f32,
) {
    let format = K::FORMAT;
    // SAFETY: promised by the caller.
    unsafe {
        let mut sums = [[L::zero(); VECTORS]; ROWS];
        for block in 0..blocks {
            let unit = panel.add(block * K::PARTS.bytes);
            let span = first * rows.spans + block * (format.depth / SPAN);
            for vector in 0..VECTORS {
                let column = vector * L::COLUMNS;
                let step = L::halves(unit.add(2 * column));
                let mut whole = Whole::<L, ROWS> {
                    products: [L::all_words(0); ROWS],
                    floors: [L::all_words(0); ROWS],
                };
                let mut inside = 0;
                while inside < format.depth / SPAN {
                    add_span::<L, K, ROWS>(unit, column, inside, rows, span + inside, &mut whole);
                    inside += 1;
                }
                for (row, sums) in sums.iter_mut().enumerate() {
                    let at = span + row * rows.spans;
                    let row_step = L::all(*rows.steps.as_ptr().add(at));
                    let sum = &mut sums[vector];
                    let product = L::number(whole.products[row]);
                    *sum = L::product_and(L::product(step, row_step), product, *sum);
                    if format.floor {
                        let floor = L::halves(unit.add(K::PARTS.floors + 2 * column));
                        let (floor, total) = if format.depth == SPAN {
                            (floor, L::all(*rows.totals.as_ptr().add(at)))
                        } else {
                            (L::product(floor, row_step), L::number(whole.floors[row]))
                        };
                        *sum = L::product_and(L::product(floor, L::all(-1.0)), total, *sum);
                    }
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            for (vector, &sums) in sums.iter().enumerate() {
                L::store(to.add(row * COLUMNS + vector * L::COLUMNS), sums);
            }
        }
    }
}

/// What a block sums to, in steps and in floors of the block.
struct Whole<L: Lanes, const ROWS: usize> {
    products: [L::Words; ROWS],
    floors: [L::Words; ROWS],
}

/// Adds the products of a span.
///
/// # Safety
/// As [`product`], with a span of a unit and its place in the rows.
#[inline(always)]
#[expect(clippy::inline_always, reason = "gets the features of its caller")]
unsafe fn add_span<L: Dots, K: Kind, const ROWS: usize>(
    unit: *const u8,
    column: usize,
    inside: usize,
    rows: &RoundedRows,
    span: usize,
    whole: &mut Whole<L, ROWS>,
) {
    let (format, parts) = (K::FORMAT, K::PARTS);
    // SAFETY: promised by the caller.
    unsafe {
        let words = unit.add(parts.words + inside * K::BITS * WORDS_BYTES + 4 * column);
        if column == 0 && ROWS == 1 {
            // Columns are met one after another, a stride that the processor does not see through by itself.
            let first = if inside == 0 { unit } else { words };
            let bytes = words.add(K::BITS * WORDS_BYTES).offset_from_unsigned(first);
            for byte in (0..bytes).step_by(LINE_BYTES) {
                L::fetch(first.wrapping_add(ahead_bytes::<K>() + byte));
            }
        }
        if format.group == 16 {
            for half in 0..2 {
                let group = 2 * inside + half;
                let mut quants = [L::all_words(0); 4];
                for (rank, quants) in quants.iter_mut().enumerate() {
                    *quants = octets::<L, K>(words, 4 * half + rank);
                }
                let (step, floor) = factors::<L, K>(unit.add(parts.factors + column), group);
                for row in 0..ROWS {
                    let at = span + row * rows.spans;
                    let bytes = rows.numbers.as_ptr().add(at).cast::<i8>().add(16 * half);
                    let total = (*rows.sums.as_ptr().add(at))[half];
                    add::<L, K, ROWS>(
                        whole,
                        row,
                        L::dot(quants, K::BITS, bytes),
                        total,
                        step,
                        floor,
                    );
                }
            }
        } else {
            let group = inside * SPAN / format.group;
            let mut quants = [L::all_words(0); 8];
            for (rank, quants) in quants.iter_mut().enumerate() {
                *quants = octets::<L, K>(words, rank);
            }
            let (step, floor) = factors::<L, K>(unit.add(parts.factors + column), group);
            for row in 0..ROWS {
                let at = span + row * rows.spans;
                let bytes = rows.numbers.as_ptr().add(at).cast::<i8>();
                let [first, second] = *rows.sums.as_ptr().add(at);
                let dots = L::dot(quants, K::BITS, bytes);
                add::<L, K, ROWS>(whole, row, dots, first + second, step, floor);
            }
        }
    }
}

/// How far ahead a row alone fetches: whole units, and no less than 2 KiB. On a Zen 5 core decoding `Q4_K` from main
/// memory is nearly twice as fast with it.
const fn ahead_bytes<K: Kind>() -> usize {
    K::PARTS.bytes * 2048_usize.div_ceil(K::PARTS.bytes)
}

/// Adds the products of a group of a row.
#[inline(always)]
#[expect(clippy::inline_always, reason = "gets the features of its caller")]
unsafe fn add<L: Dots, K: Kind, const ROWS: usize>(
    whole: &mut Whole<L, ROWS>,
    row: usize,
    dots: L::Words,
    total: i32,
    step: L::Words,
    floor: L::Words,
) {
    let format = K::FORMAT;
    // SAFETY: promised by the caller.
    unsafe {
        let taken = format.offset == 0 || (L::TAKES_OFFSET && K::BITS == 8);
        let dots = if taken {
            dots
        } else {
            L::difference(dots, L::all_words(total * i32::from(format.offset)))
        };
        let dots = match format.factors {
            Factors::One => dots,
            _ => L::multiple(dots, step),
        };
        whole.products[row] = L::sum(whole.products[row], dots);
        if format.floor && format.depth > SPAN {
            let floors = L::multiple(floor, L::all_words(total));
            whole.floors[row] = L::sum(whole.floors[row], floors);
        }
    }
}

/// Factors of a group's step and floor.
#[inline(always)]
#[expect(clippy::inline_always, reason = "gets the features of its caller")]
unsafe fn factors<L: Dots, K: Kind>(from: *const u8, group: usize) -> (L::Words, L::Words) {
    // SAFETY: promised by the caller.
    unsafe {
        let own = from.add(group * COLUMNS);
        match K::FORMAT.factors {
            Factors::One => (L::all_words(1), L::all_words(1)),
            Factors::Steps => (L::signed_bytes(own), L::all_words(0)),
            Factors::StepsAndFloors => {
                (L::bytes(own), L::bytes(own.add(K::FORMAT.groups() * COLUMNS)))
            }
            Factors::Nibbles => {
                let both = L::bytes(own);
                (L::and(both, 15), L::down(both, 4))
            }
        }
    }
}

/// The quants of four inputs in the bytes of each word: see `octet_pieces`.
#[inline(always)]
#[expect(clippy::inline_always, reason = "gets the features of its caller")]
unsafe fn octets<L: Dots, K: Kind>(words: *const u8, rank: usize) -> L::Words {
    let (low, high) = planes(K::BITS);
    // SAFETY: promised by the caller.
    unsafe {
        let shared = 8 / low;
        let own = L::words(words.add(rank / shared * WORDS_BYTES));
        if low == 8 {
            return own;
        }
        let lower = L::and(L::down(own, rank % shared * low), bytes_of(low, 0));
        if high == 0 {
            return lower;
        }
        let shared = 8 / high;
        let from = words.add((low + rank / shared) * WORDS_BYTES);
        let (own, shift) = (L::words(from), rank % shared * high);
        let moved = if shift < low { L::up(own, low - shift) } else { L::down(own, shift - low) };
        L::or(lower, L::and(moved, bytes_of(high, low)))
    }
}

/// Four bytes with so many bits above so many others.
const fn bytes_of(bits: usize, above: usize) -> u32 {
    0x0101_0101 * (((1 << bits) - 1) << above)
}
