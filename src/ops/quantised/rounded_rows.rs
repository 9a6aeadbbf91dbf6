//! Rows of inputs rounded to 8 bits, as llama.cpp rounds them for its products with quantised weights.
//!
//! Blocks of 32 have a step of amax / 127, which is kept as f16 (its `Q8_0`, and with their sum its `Q8_1`);
//! blocks of 256 have a step of −max / 127 in f32, where max is the number of the largest size (its `Q8_K`).

use half::f16;

use super::format::Format;
use super::words::{SPAN, octet_place};
use crate::ops::simd::vectorised;

/// Added to a number, it makes the number whole, ties to even.
const ROUNDING: f32 = 12_582_912.0;

/// How inputs are rounded: by what blocks of weights they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ops) enum Rounding {
    /// In blocks of 32.
    Small,
    /// In blocks of 256.
    Large,
}

impl Rounding {
    /// How inputs of weights of a format are rounded.
    pub(super) const fn of(format: Format) -> Self {
        if format.depth == SPAN { Self::Small } else { Self::Large }
    }
}

/// Numbers of a span that are multiplied together, in the order of `octet_pieces`.
pub(super) type Octets = [i8; SPAN];

/// Rows that were rounded: `[row][span]` of everything.
#[derive(Clone, Debug, Default)]
pub(in crate::ops) struct RoundedRows {
    /// Spans of a row.
    pub(super) spans: usize,
    pub(super) numbers: Vec<Octets>,
    pub(super) steps: Vec<f32>,
    /// Sums of both halves.
    pub(super) sums: Vec<[i32; 2]>,
    /// The sum of the span times its step, rounded to f16.
    pub(super) totals: Vec<f32>,
}

impl RoundedRows {
    /// Rounds `rows`, each of a multiple of 32 numbers or, where they are large, of 256.
    pub(in crate::ops) fn of<'a>(
        rounding: Rounding,
        rows: impl Iterator<Item = &'a [f32]>,
    ) -> Self {
        let mut rounded = Self::default();
        for row in rows {
            rounded.spans = row.len() / SPAN;
            rounded.add(rounding, row);
        }
        rounded
    }

    /// The numbers that a row was rounded to.
    #[cfg(test)]
    pub(super) fn row(&self, row: usize) -> Vec<f32> {
        let spans = row * self.spans..(row + 1) * self.spans;
        let numbers = spans.flat_map(|span| {
            let (numbers, step) = (&self.numbers[span], self.steps[span]);
            (0..SPAN).map(move |place| step * f32::from(numbers[octet_place(place)]))
        });
        numbers.collect()
    }

    fn add(&mut self, rounding: Rounding, row: &[f32]) {
        let depth = match rounding {
            Rounding::Small => SPAN,
            Rounding::Large => 256,
        };
        for block in row.chunks_exact(depth) {
            let size = largest_size(block);
            let (factor, step) = match rounding {
                _ if size == 0.0 => (0.0, 0.0),
                // No number, or none that is finite, spoils the whole block as it does every sum.
                _ if !size.is_finite() => (0.0, f32::NAN),
                Rounding::Small => (127.0 / size, f16::from_f32(size / 127.0).to_f32()),
                Rounding::Large => {
                    // The first of this size is the one that becomes −127.
                    let first =
                        block.iter().find(|number| number.abs().to_bits() == size.to_bits());
                    let factor = -127.0 / first.copied().unwrap_or(size);
                    (factor, 1.0 / factor)
                }
            };
            for span in block.as_chunks::<SPAN>().0 {
                let mut numbers = [0; SPAN];
                let sums = round(span, factor, &mut numbers);
                self.numbers.push(numbers);
                self.steps.push(step);
                self.sums.push(sums);
                let total = size / 127.0 * (sums[0] + sums[1]) as f32;
                let total = f16::from_f32(total).to_f32();
                self.totals.push(if step.is_nan() { step } else { total });
            }
        }
    }
}

vectorised! {
    /// The largest size of some numbers; not a number where one of them is none or not finite.
    fn largest_size(numbers: &[f32]) -> f32 {
        let mut sizes = [0_f32; 16];
        let mut nothing = [0_f32; 16];
        for numbers in numbers.as_chunks::<16>().0 {
            for ((size, nothing), number) in sizes.iter_mut().zip(&mut nothing).zip(numbers) {
                *size = if number.abs() > *size { number.abs() } else { *size };
                // Zero, or not a number.
                *nothing += number * 0.0;
            }
        }
        let size = sizes.iter().fold(0_f32, |largest, &size| largest.max(size));
        size + nothing.iter().sum::<f32>()
    }

    /// Rounds a span times `factor` to whole numbers, puts them where products want them, and gives the
    /// sums of both halves.
    fn round(span: &[f32; SPAN], factor: f32, numbers: &mut Octets) -> [i32; 2] {
        let mut whole = [0_i32; SPAN];
        for (whole, number) in whole.iter_mut().zip(span) {
            // 1.5 · 2²³ leaves no place for a fraction, and what is left are the last bits.
            let rounded = (number * factor + ROUNDING).to_bits().cast_signed();
            *whole = (rounded - ROUNDING.to_bits().cast_signed()).min(127);
        }
        for (place, &whole) in whole.iter().enumerate() {
            numbers[octet_place(place)] = whole as i8;
        }
        [whole[..16].iter().sum(), whole[16..].iter().sum()]
    }
}
