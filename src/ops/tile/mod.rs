//! The matrix kernel under every product on the CPU: a few rows times 16 or 32 columns.
//!
//! Each number of the result is one chain of fused multiply-adds over the depth, in order, that
//! starts from zero or from what is already there. It therefore does not depend on which rows stand
//! beside it, on how the depth is cut into calls or on which thread computes it; that is why scores
//! have the same bits however requests are packed.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

use half::{bf16, f16};

use super::simd::InstructionSet;

/// Most rows of a tile: with two vectors of columns each, the sums fill the registers of AVX-512.
pub(super) const MOST_ROWS: usize = 12;
/// Columns of one vector.
pub(super) const VECTOR: usize = 16;
/// Most columns of a tile.
pub(super) const COLUMNS: usize = 2 * VECTOR;

/// `c += a · b`, or `c = a · b`: `rows × depth` times `depth × (vectors · 16)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile<'a, T> {
    /// 1 to [`MOST_ROWS`].
    pub(super) rows: usize,
    /// 1 or 2 vectors of columns.
    pub(super) vectors: usize,
    /// The rows' numbers.
    pub(super) a: Rows<'a>,
    /// Depth by depth, in one or more parts, each with its share of the depth.
    pub(super) b: &'a [(&'a [T], usize)],
    /// Numbers between two depths of `b`.
    pub(super) b_stride: usize,
    /// Numbers between two rows of `c`.
    pub(super) c_stride: usize,
    /// Whether the sums start from what is in `c`.
    pub(super) accumulate: bool,
}

/// Where the numbers of a tile's rows are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rows<'a> {
    /// Depth by depth, the numbers of all rows side by side: the kernel reads them front to back.
    Packed(&'a [f32]),
    /// Row by row, this many numbers apart.
    Apart(&'a [f32], usize),
}

impl Rows<'_> {
    /// Whether `rows × depth` numbers are there.
    fn hold(self, rows: usize, depth: usize) -> bool {
        match self {
            Self::Packed(numbers) => numbers.len() >= rows * depth,
            Self::Apart(numbers, stride) => numbers.len() >= (rows - 1) * stride + depth,
        }
    }
}

/// What the columns can be stored as. Halves are widened exactly.
pub(super) trait Stored: Copy + Send + Sync + 'static {
    /// As f32.
    fn widen(self) -> f32;

    /// Computes a tile whose bounds were checked.
    ///
    /// # Safety
    /// The processor has `instructions`, and `a`, `b` and `c` reach as far as the tile says.
    unsafe fn multiply(instructions: InstructionSet, tile: &Tile<'_, Self>, c: *mut f32);
}

/// Computes a tile.
///
/// # Panics
/// If a matrix is smaller than the tile says.
#[inline]
pub(super) fn multiply<T: Stored>(instructions: InstructionSet, tile: &Tile<'_, T>, c: &mut [f32]) {
    let &Tile { rows, vectors, a, b, b_stride, c_stride, .. } = tile;
    let columns = vectors * VECTOR;
    let mut depth = 0;
    for &(numbers, part) in b {
        let needed = part.checked_sub(1).map_or(0, |last| last * b_stride + columns);
        assert!(numbers.len() >= needed, "the tile's columns are too short");
        depth += part;
    }
    assert!((1..=MOST_ROWS).contains(&rows) && (1..=2).contains(&vectors), "not a tile");
    assert!(c.len() >= (rows - 1) * c_stride + columns, "the tile's result is too small");
    assert!(a.hold(rows, depth), "the tile's rows are too short");
    // SAFETY: `instructions` only comes from asking the processor, and the bounds were checked.
    unsafe { T::multiply(instructions, tile, c.as_mut_ptr()) }
}

macro_rules! stored {
    ($type:ty, $function:ident, $widen:expr) => {
        impl Stored for $type {
            #[inline]
            fn widen(self) -> f32 {
                $widen(self)
            }

            #[inline]
            unsafe fn multiply(instructions: InstructionSet, tile: &Tile<'_, Self>, c: *mut f32) {
                match instructions {
                    // SAFETY: promised by the caller.
                    #[cfg(target_arch = "x86_64")]
                    InstructionSet::Avx512 => unsafe { avx512::$function(tile, c) },
                    // SAFETY: as above.
                    #[cfg(target_arch = "x86_64")]
                    InstructionSet::Avx2 => unsafe { avx2::$function(tile, c) },
                    // SAFETY: as above.
                    #[cfg(target_arch = "aarch64")]
                    InstructionSet::Neon => unsafe { neon::$function(tile, c) },
                    // SAFETY: as above.
                    InstructionSet::Portable => unsafe { portable::multiply(tile, c) },
                }
            }
        }
    };
}

stored!(f32, f32, |number| number);
stored!(bf16, bf16, bf16::to_f32);
stored!(f16, f16, f16::to_f32);

#[cfg(test)]
mod tests {
    use super::*;

    fn number(i: usize) -> f32 {
        ((i * 7919 + 3) % 65_521) as f32 / 32_760.5 - 1.0
    }

    fn check<T: Stored>(round: fn(f32) -> T) {
        for instructions in InstructionSet::available() {
            for (rows, vectors) in (1..=MOST_ROWS).flat_map(|rows| [(rows, 1), (rows, 2)]) {
                let (depth, columns) = (37, vectors * VECTOR);
                let a: Vec<f32> = (0..rows * 40).map(number).collect();
                let b: Vec<T> = (0..depth * 35).map(|i| round(number(i + 1000))).collect();
                let start: Vec<f32> = (0..rows * 33).map(|i| number(i + 50)).collect();
                let interleaved: Vec<f32> =
                    (0..rows * 40).map(|i| a[i % rows * 40 + i / rows]).collect();
                let multiply =
                    |from: usize, cut: usize, to: usize, packed, accumulate, c: &mut [f32]| {
                        let tile = Tile {
                            rows,
                            vectors,
                            a: if packed {
                                Rows::Packed(&interleaved[from * rows..])
                            } else {
                                Rows::Apart(&a[from..], 40)
                            },
                            b: &[(&b[from * 35..], cut - from), (&b[cut * 35..], to - cut)],
                            b_stride: 35,
                            c_stride: 33,
                            accumulate,
                        };
                        multiply(instructions, &tile, c);
                    };
                let mut whole = start.clone();
                multiply(0, 0, depth, false, true, &mut whole);
                for (i, (&found, &start)) in whole.iter().zip(&start).enumerate() {
                    let (row, column) = (i / 33, i % 33);
                    let sum: f64 = (0..depth)
                        .map(|k| {
                            f64::from(a[row * 40 + k])
                                * f64::from(b[(k * 35 + column).min(b.len() - 1)].widen())
                        })
                        .sum();
                    let wanted = f64::from(start) + if column < columns { sum } else { 0.0 };
                    assert!(
                        (f64::from(found) - wanted).abs() < 1e-5,
                        "{instructions:?} {rows} {i}"
                    );
                }
                let mut parts = start.clone();
                multiply(0, 3, 16, true, true, &mut parts);
                multiply(16, 16, depth, false, true, &mut parts);
                assert_eq!(parts, whole, "{instructions:?} {rows} × {vectors}");
                let mut fresh = vec![0.0; start.len()];
                multiply(0, 20, depth, true, true, &mut fresh);
                let mut over = fresh.iter().map(|_| f32::NAN).collect::<Vec<_>>();
                multiply(0, 9, depth, true, false, &mut over);
                for row in 0..rows {
                    let part = row * 33..row * 33 + columns;
                    assert_eq!(over[part.clone()], fresh[part]);
                }
            }
        }
    }

    #[test]
    fn tiles_are_products_however_the_depth_is_cut() {
        check(|number| number);
        check(bf16::from_f32);
        check(f16::from_f32);
    }
}
