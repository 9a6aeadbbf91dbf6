//! A block as a file stores it, taken apart.
//!
//! Layouts are those of ggml (`ggml-quants.c`), which candle's `k_quants` follow.

use candle_core::quantized::GgmlDType;
use half::f16;

use super::format::{Factors, Format};

/// Numbers of the largest block.
const MOST_DEPTH: usize = 256;
/// Groups of the block with the most.
const MOST_GROUPS: usize = 16;

/// The parts of a block, one by one.
pub(super) struct Block {
    /// As it is stored: f16, or f32 where the format says so.
    pub(super) step: [u8; 4],
    /// As f16, for `− floor`.
    pub(super) floor: f16,
    /// A group's step is so many of the block's.
    pub(super) step_factors: [i8; MOST_GROUPS],
    /// A group's floor is so many of the block's.
    pub(super) floor_factors: [u8; MOST_GROUPS],
    /// Unsigned, all bits together.
    pub(super) quants: [u8; MOST_DEPTH],
}

impl Block {
    /// Takes apart `bytes`, a whole block of `format`.
    pub(super) fn read(format: Format, bytes: &[u8]) -> Self {
        let mut block = Self {
            step: [0; 4],
            floor: f16::ZERO,
            step_factors: [1; MOST_GROUPS],
            floor_factors: [1; MOST_GROUPS],
            quants: [0; MOST_DEPTH],
        };
        match format.dtype {
            GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16 => {}
            GgmlDType::Q4_0 => block.read_small(bytes, None, None, 2),
            GgmlDType::Q4_1 => block.read_small(bytes, Some(2), None, 4),
            GgmlDType::Q5_0 => block.read_small(bytes, None, Some(2), 6),
            GgmlDType::Q5_1 => block.read_small(bytes, Some(2), Some(4), 8),
            GgmlDType::Q8_0 => block.read_bytes(bytes, 2, 2),
            // The sum of the block's numbers stands before them.
            GgmlDType::Q8_1 => block.read_bytes(bytes, 2, 4),
            GgmlDType::Q8K => block.read_bytes(bytes, 4, 4),
            GgmlDType::Q2K => block.read_2(bytes),
            GgmlDType::Q3K => block.read_3(bytes),
            GgmlDType::Q4K => block.read_4_or_5(bytes, None, 16),
            GgmlDType::Q5K => block.read_4_or_5(bytes, Some(16), 48),
            GgmlDType::Q6K => block.read_6(bytes),
        }
        block
    }

    /// The number at `place`.
    pub(super) fn number(&self, format: Format, place: usize) -> f32 {
        let group = place / format.group;
        let step = if format.wide_step {
            f32::from_le_bytes(self.step)
        } else {
            f16::from_le_bytes([self.step[0], self.step[1]]).to_f32()
        };
        let step = step * f32::from(self.step_factors[group]);
        let floor = self.floor.to_f32() * f32::from(self.floor_factors[group]);
        (f32::from(self.quants[place]) - f32::from(format.offset)) * step - floor
    }

    fn set_step(&mut self, two: &[u8]) {
        self.step[..2].copy_from_slice(&two[..2]);
    }

    /// 32 quants of four bits, those of the second half above those of the first, with a fifth bit
    /// elsewhere.
    fn read_small(
        &mut self,
        bytes: &[u8],
        least: Option<usize>,
        fifth: Option<usize>,
        quants: usize,
    ) {
        self.set_step(bytes);
        if let Some(at) = least {
            // The smallest number is added.
            self.floor = -half(bytes, at);
        }
        for place in 0..32 {
            let low = bytes[quants + place % 16] >> (4 * (place / 16)) & 15;
            let high = fifth.map_or(0, |at| bytes[at + place / 8] >> (place % 8) & 1);
            self.quants[place] = low | high << 4;
        }
    }

    /// Quants of a signed byte each.
    fn read_bytes(&mut self, bytes: &[u8], step_bytes: usize, quants: usize) {
        self.step[..step_bytes].copy_from_slice(&bytes[..step_bytes]);
        for (quant, byte) in self.quants.iter_mut().zip(&bytes[quants..]) {
            // Shifted by 128.
            *quant = byte ^ 0x80;
        }
    }

    fn read_2(&mut self, bytes: &[u8]) {
        let (factors, quants) = (&bytes[..16], &bytes[16..80]);
        self.set_step(&bytes[80..]);
        self.floor = half(bytes, 82);
        for (group, factor) in factors.iter().enumerate() {
            self.step_factors[group] = (factor & 15).cast_signed();
            self.floor_factors[group] = factor >> 4;
        }
        for (place, quant) in self.quants.iter_mut().enumerate() {
            *quant = of_four(quants, place);
        }
    }

    fn read_3(&mut self, bytes: &[u8]) {
        let (high, quants, factors) = (&bytes[..32], &bytes[32..96], &bytes[96..108]);
        self.set_step(&bytes[108..]);
        for (group, factor) in self.step_factors.iter_mut().enumerate() {
            let low = factors[group % 8] >> (4 * (group / 8)) & 15;
            let high = factors[8 + group % 4] >> (2 * (group / 4)) & 3;
            *factor = (low | high << 4).cast_signed() - 32;
        }
        for (place, quant) in self.quants.iter_mut().enumerate() {
            *quant = of_four(quants, place) | (high[place % 32] >> (place / 32) & 1) << 2;
        }
    }

    fn read_4_or_5(&mut self, bytes: &[u8], fifth: Option<usize>, quants: usize) {
        self.set_step(bytes);
        self.floor = half(bytes, 2);
        let factors = &bytes[4..16];
        for group in 0..8 {
            // Six bits each; the upper two of the last four groups stand above the first four's.
            let (step, floor) = if group < 4 {
                (factors[group] & 63, factors[group + 4] & 63)
            } else {
                (
                    factors[group + 4] & 15 | factors[group - 4] >> 6 << 4,
                    factors[group + 4] >> 4 | factors[group] >> 6 << 4,
                )
            };
            (self.step_factors[group], self.floor_factors[group]) = (step.cast_signed(), floor);
        }
        for (place, quant) in self.quants.iter_mut().enumerate() {
            let low = bytes[quants + place / 64 * 32 + place % 32] >> (4 * (place / 32 % 2)) & 15;
            let high = fifth.map_or(0, |at| bytes[at + place % 32] >> (place / 32) & 1);
            *quant = low | high << 4;
        }
    }

    fn read_6(&mut self, bytes: &[u8]) {
        let (low, high, factors) = (&bytes[..128], &bytes[128..192], &bytes[192..208]);
        self.set_step(&bytes[208..]);
        for (kept, factor) in self.step_factors.iter_mut().zip(factors) {
            *kept = factor.cast_signed();
        }
        for (place, quant) in self.quants.iter_mut().enumerate() {
            let (half, part) = (place / 128, place / 32 % 4);
            let low = low[half * 64 + part % 2 * 32 + place % 32] >> (4 * (part / 2)) & 15;
            *quant = low | of_four(high, place) << 4;
        }
    }

    /// The factors of a group in one byte, where the format keeps them so.
    pub(super) fn nibbles(&self, group: usize) -> u8 {
        self.step_factors[group].cast_unsigned() | self.floor_factors[group] << 4
    }
}

impl Factors {
    /// Rows of bytes that factors take for each group.
    pub(super) fn rows(self) -> usize {
        match self {
            Self::One => 0,
            Self::Steps | Self::Nibbles => 1,
            Self::StepsAndFloors => 2,
        }
    }
}

fn half(bytes: &[u8], at: usize) -> f16 {
    f16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// Two bits of 256, in each half of which four stretches of 32 share their bytes.
fn of_four(bytes: &[u8], place: usize) -> u8 {
    bytes[place / 128 * 32 + place % 32] >> (2 * (place / 32 % 4)) & 3
}
