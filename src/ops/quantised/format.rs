//! What the block formats have in common, as data.

use candle_core::quantized::GgmlDType;

/// How numbers of a format are made of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ops) struct Format {
    /// Whose it is.
    pub(in crate::ops) dtype: GgmlDType,
    /// Numbers of a block.
    pub(in crate::ops) depth: usize,
    /// Bytes of a block in a file.
    pub(in crate::ops) block_bytes: usize,
    /// Neighbouring numbers that share a step and a floor.
    pub(super) group: usize,
    /// Bits of a quant that stand together, and above them the bits that stand elsewhere.
    pub(super) bits: (usize, usize),
    /// Taken from a quant.
    pub(super) offset: u8,
    /// The block's step is f32 instead of f16.
    pub(super) wide_step: bool,
    /// There is a floor.
    pub(super) floor: bool,
    /// How steps and floors of groups follow from those of the block.
    pub(super) factors: Factors,
}

/// How the steps and floors of a block's groups follow from the block's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factors {
    /// They are the block's.
    One,
    /// A signed byte for each step.
    Steps,
    /// A byte for each step and one for each floor.
    StepsAndFloors,
    /// Four bits for each step and four above them for each floor.
    Nibbles,
}

impl Format {
    /// The format of quantised numbers; `None` for numbers that are stored one by one.
    pub(in crate::ops) fn of(dtype: GgmlDType) -> Option<Self> {
        let small = |bits, offset: u8| Self {
            dtype,
            depth: dtype.block_size(),
            block_bytes: dtype.type_size(),
            group: dtype.block_size(),
            bits,
            offset,
            wide_step: false,
            floor: false,
            factors: Factors::One,
        };
        let large = |group, bits, offset, factors| Self { group, factors, ..small(bits, offset) };
        Some(match dtype {
            GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16 => return None,
            GgmlDType::Q4_0 => small((4, 0), 8),
            GgmlDType::Q4_1 => Self { floor: true, ..small((4, 0), 0) },
            GgmlDType::Q5_0 => small((4, 1), 16),
            GgmlDType::Q5_1 => Self { floor: true, ..small((4, 1), 0) },
            GgmlDType::Q8_0 | GgmlDType::Q8_1 => small((8, 0), 128),
            GgmlDType::Q2K => Self { floor: true, ..large(16, (2, 0), 0, Factors::Nibbles) },
            GgmlDType::Q3K => large(16, (2, 1), 4, Factors::Steps),
            GgmlDType::Q4K => Self { floor: true, ..large(32, (4, 0), 0, Factors::StepsAndFloors) },
            GgmlDType::Q5K => Self { floor: true, ..large(32, (4, 1), 0, Factors::StepsAndFloors) },
            GgmlDType::Q6K => large(16, (4, 2), 32, Factors::Steps),
            GgmlDType::Q8K => Self { wide_step: true, ..small((8, 0), 128) },
        })
    }

    /// Groups of a block.
    pub(super) fn groups(self) -> usize {
        self.depth / self.group
    }
}
