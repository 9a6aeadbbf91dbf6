//! Blocks as a file stores them, taken apart.
//!
//! Layouts are those of ggml (`ggml-quants.c`), which candle's `k_quants` follow.

use candle_core::quantized::GgmlDType;
use half::f16;

use super::format::{Factors, Format};

/// Numbers of the largest block.
pub(super) const MOST_DEPTH: usize = 256;
/// Groups of the block with the most.
const MOST_GROUPS: usize = 16;

/// The parts of a block of each of `N` outputs, byte by byte side by side: what is done to one is done
/// to all, in vectors.
pub(super) struct Blocks<const N: usize> {
    /// Little-endian: as f16, or as f32 where the format says so.
    pub(super) step: [[u8; N]; 4],
    /// Little-endian, as f16, for `− floor`.
    pub(super) floor: [[u8; N]; 2],
    /// A group's step is so many of the block's; a signed byte.
    pub(super) step_factors: [[u8; N]; MOST_GROUPS],
    /// A group's floor is so many of the block's.
    pub(super) floor_factors: [[u8; N]; MOST_GROUPS],
    /// Unsigned, all bits together.
    pub(super) quants: [[u8; N]; MOST_DEPTH],
}

impl<const N: usize> Blocks<N> {
    /// Room for blocks of any format.
    pub(super) fn new() -> Self {
        Self {
            step: [[0; N]; 4],
            floor: [[0; N]; 2],
            step_factors: [[1; N]; MOST_GROUPS],
            floor_factors: [[1; N]; MOST_GROUPS],
            quants: [[0; N]; MOST_DEPTH],
        }
    }

    /// Takes apart whole blocks, `[byte][output]`, of the `format` of all that are read into this.
    pub(super) fn read(&mut self, format: Format, bytes: &[[u8; N]]) {
        match format.dtype {
            GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16 => {}
            GgmlDType::Q4_0 => self.read_small(bytes, None, None, 2),
            GgmlDType::Q4_1 => self.read_small(bytes, Some(2), None, 4),
            GgmlDType::Q5_0 => self.read_small(bytes, None, Some(2), 6),
            GgmlDType::Q5_1 => self.read_small(bytes, Some(2), Some(4), 8),
            GgmlDType::Q8_0 => self.read_bytes(bytes, 2, 2),
            // The sum of the block's numbers stands before them.
            GgmlDType::Q8_1 => self.read_bytes(bytes, 2, 4),
            GgmlDType::Q8K => self.read_bytes(bytes, 4, 4),
            GgmlDType::Q2K => self.read_2(bytes),
            GgmlDType::Q3K => self.read_3(bytes),
            GgmlDType::Q4K => self.read_4_or_5(bytes, None, 16),
            GgmlDType::Q5K => self.read_4_or_5(bytes, Some(16), 48),
            GgmlDType::Q6K => self.read_6(bytes),
        }
    }

    /// The number of an `output` at `place`.
    pub(super) fn number(&self, format: Format, output: usize, place: usize) -> f32 {
        let group = place / format.group;
        let step = self.step.map(|bytes| bytes[output]);
        let step = if format.wide_step {
            f32::from_le_bytes(step)
        } else {
            f16::from_le_bytes([step[0], step[1]]).to_f32()
        };
        let step = step * f32::from(self.step_factors[group][output].cast_signed());
        let floor = f16::from_le_bytes(self.floor.map(|bytes| bytes[output]));
        let floor = floor.to_f32() * f32::from(self.floor_factors[group][output]);
        (f32::from(self.quants[place][output]) - f32::from(format.offset)) * step - floor
    }

    /// 32 quants of four bits, those of the second half above those of the first, with a fifth bit
    /// elsewhere.
    fn read_small(
        &mut self,
        bytes: &[[u8; N]],
        least: Option<usize>,
        fifth: Option<usize>,
        quants: usize,
    ) {
        self.step[..2].copy_from_slice(&bytes[..2]);
        if let Some(at) = least {
            // The smallest number is added.
            self.floor = [bytes[at], bytes[at + 1].map(|byte| byte ^ 0x80)];
        }
        for (place, quant) in self.quants[..32].iter_mut().enumerate() {
            *quant = bits(&bytes[quants + place % 16], 4 * (place / 16), 15);
            if let Some(at) = fifth {
                put_above(quant, 4, bits(&bytes[at + place / 8], place % 8, 1));
            }
        }
    }

    /// Quants of a signed byte each.
    fn read_bytes(&mut self, bytes: &[[u8; N]], step_bytes: usize, quants: usize) {
        self.step[..step_bytes].copy_from_slice(&bytes[..step_bytes]);
        for (quant, byte) in self.quants.iter_mut().zip(&bytes[quants..]) {
            // Shifted by 128.
            *quant = byte.map(|byte| byte ^ 0x80);
        }
    }

    fn read_2(&mut self, bytes: &[[u8; N]]) {
        let (factors, quants) = (&bytes[..16], &bytes[16..80]);
        self.step[..2].copy_from_slice(&bytes[80..82]);
        self.floor.copy_from_slice(&bytes[82..84]);
        for (group, factor) in factors.iter().enumerate() {
            self.step_factors[group] = bits(factor, 0, 15);
            self.floor_factors[group] = bits(factor, 4, 15);
        }
        for (place, quant) in self.quants.iter_mut().enumerate() {
            *quant = of_four(quants, place);
        }
    }

    fn read_3(&mut self, bytes: &[[u8; N]]) {
        let (high, quants, factors) = (&bytes[..32], &bytes[32..96], &bytes[96..108]);
        self.step[..2].copy_from_slice(&bytes[108..110]);
        for (group, factor) in self.step_factors.iter_mut().enumerate() {
            *factor = bits(&factors[group % 8], 4 * (group / 8), 15);
            put_above(factor, 4, bits(&factors[8 + group % 4], 2 * (group / 4), 3));
            *factor = factor.map(|factor| factor.wrapping_sub(32));
        }
        for (place, quant) in self.quants.iter_mut().enumerate() {
            *quant = of_four(quants, place);
            put_above(quant, 2, bits(&high[place % 32], place / 32, 1));
        }
    }

    fn read_4_or_5(&mut self, bytes: &[[u8; N]], fifth: Option<usize>, quants: usize) {
        self.step[..2].copy_from_slice(&bytes[..2]);
        self.floor.copy_from_slice(&bytes[2..4]);
        let factors = &bytes[4..16];
        for group in 0..8 {
            // Six bits each; the upper two of the last four groups stand above the first four's.
            let (step, floor) = if group < 4 {
                (bits(&factors[group], 0, 63), bits(&factors[group + 4], 0, 63))
            } else {
                let mut both = [0, 4].map(|shift| bits(&factors[group + 4], shift, 15));
                put_above(&mut both[0], 4, bits(&factors[group - 4], 6, 3));
                put_above(&mut both[1], 4, bits(&factors[group], 6, 3));
                both.into()
            };
            (self.step_factors[group], self.floor_factors[group]) = (step, floor);
        }
        for (place, quant) in self.quants.iter_mut().enumerate() {
            let low = &bytes[quants + place / 64 * 32 + place % 32];
            *quant = bits(low, 4 * (place / 32 % 2), 15);
            if let Some(at) = fifth {
                put_above(quant, 4, bits(&bytes[at + place % 32], place / 32, 1));
            }
        }
    }

    fn read_6(&mut self, bytes: &[[u8; N]]) {
        let (low, high, factors) = (&bytes[..128], &bytes[128..192], &bytes[192..208]);
        self.step[..2].copy_from_slice(&bytes[208..210]);
        self.step_factors.copy_from_slice(factors);
        for (place, quant) in self.quants.iter_mut().enumerate() {
            let (half, part) = (place / 128, place / 32 % 4);
            let low = &low[half * 64 + part % 2 * 32 + place % 32];
            *quant = bits(low, 4 * (part / 2), 15);
            put_above(quant, 4, of_four(high, place));
        }
    }
}

impl Factors {
    /// Rows of bytes that factors take for each group.
    pub(super) const fn rows(self) -> usize {
        match self {
            Self::One => 0,
            Self::Steps | Self::Nibbles => 1,
            Self::StepsAndFloors => 2,
        }
    }
}

/// Those of `mask` in each byte, after a shift down.
#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
fn bits<const N: usize>(bytes: &[u8; N], shift: usize, mask: u8) -> [u8; N] {
    bytes.map(|byte| byte >> shift & mask)
}

/// Puts `more` above the lowest `lower` bits of each quant.
#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
fn put_above<const N: usize>(quants: &mut [u8; N], lower: usize, more: [u8; N]) {
    for (quant, more) in quants.iter_mut().zip(more) {
        *quant |= more << lower;
    }
}

/// Two bits of 256, in each half of which four stretches of 32 share their bytes.
#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
fn of_four<const N: usize>(bytes: &[[u8; N]], place: usize) -> [u8; N] {
    bits(&bytes[place / 128 * 32 + place % 32], 2 * (place / 32 % 4), 3)
}
