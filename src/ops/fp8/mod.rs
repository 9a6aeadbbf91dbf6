//! 8-bit floats that share scales, as FP8 checkpoints store them.
//!
//! A number is a code times a scale. Codes are E4M3 in the variant without infinities (P. Micikevicius et al., "FP8
//! Formats for Deep Learning" (2022), arXiv:2209.05433): a sign, four bits of exponent with bias 7, three of fraction;
//! all ones but the sign is no number. A scale belongs to a whole matrix, to each output, or to each block of outputs
//! and inputs. The product of both is rounded to f32 once, which is as transformers widens them; inputs of the products
//! are not rounded to 8 bits, as a score is that of the stored numbers.
//!
//! Codes stay codes in memory and are widened a chunk at a time, on the way to the kernel of all other weights.

mod matrix;

pub(super) use matrix::Fp8Matrix;

/// What codes are multiplied with, by block of outputs and inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Fp8Scales {
    numbers: Vec<f32>,
    /// Outputs and inputs of a block.
    block: [usize; 2],
    /// Blocks beside each other.
    columns: usize,
}

impl Fp8Scales {
    /// The scales of a matrix of `outputs` × `inputs`, block by block, those of the first outputs first. `block` says
    /// how many outputs and inputs share one; blocks at the edges may be smaller. `None` if there is another number of
    /// scales.
    pub fn new(
        numbers: Vec<f32>,
        [outputs, inputs]: [usize; 2],
        block: [usize; 2],
    ) -> Option<Self> {
        let block = block.map(|size| size.max(1));
        let columns = inputs.div_ceil(block[1]);
        let is_whole = numbers.len() == outputs.div_ceil(block[0]) * columns;
        is_whole.then_some(Self { numbers, block, columns })
    }

    /// That of one number.
    pub fn at(&self, output: usize, input: usize) -> f32 {
        self.numbers[output / self.block[0] * self.columns + input / self.block[1]]
    }

    /// How many inputs share one.
    pub fn block_inputs(&self) -> usize {
        self.block[1]
    }

    /// Outputs and inputs of a block, and all scales.
    #[cfg(feature = "cuda")]
    pub(super) fn parts(&self) -> ([usize; 2], &[f32]) {
        (self.block, &self.numbers)
    }
}

/// The number that a code stands for.
#[inline(always)]
pub fn widen(code: u8) -> f32 {
    /// 2¹²⁰: what lies between the exponents of the two types.
    const SHIFT: f32 = f32::from_bits(0x7b80_0000);
    let magnitude = u32::from(code & 0x7f);
    // Shifted into place, small codes are small f32, which the factor makes exact too.
    let number = (f32::from_bits(magnitude << 20) * SHIFT).to_bits();
    let special = if magnitude == 0x7f { 0x7fc0_0000 } else { 0 };
    f32::from_bits(number | special | u32::from(code & 0x80) << 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_what_the_format_says() {
        for code in 0..=u8::MAX {
            let (exponent, fraction) = (i32::from(code >> 3 & 15), f64::from(code & 7) / 8.0);
            let magnitude = match exponent {
                0 => fraction * 2f64.powi(-6),
                _ => (1.0 + fraction) * 2f64.powi(exponent - 7),
            };
            let expected = if code & 0x80 == 0 { magnitude } else { -magnitude };
            let found = widen(code);
            if code & 0x7f == 0x7f {
                assert!(found.is_nan());
            } else {
                assert_eq!(found.to_bits(), (expected as f32).to_bits(), "{code:#x}");
            }
        }
        assert!((widen(0x7e) - 448.0).abs() < f32::EPSILON);
    }

    #[test]
    fn scales_belong_to_blocks_that_may_end_early() {
        let scales = Fp8Scales::new((0..6).map(|i| i as f32).collect(), [5, 7], [3, 3]).unwrap();
        let found = [(0, 0), (2, 2), (2, 6), (3, 0), (4, 5)].map(|(row, at)| scales.at(row, at));
        assert_eq!(found.map(f32::to_bits), [0.0_f32, 0.0, 2.0, 3.0, 4.0].map(f32::to_bits));
        assert_eq!(Fp8Scales::new(vec![1.0; 5], [5, 7], [3, 3]), None);
    }
}
