//! What the block formats have in common, as data.

use candle_core::quantized::GgmlDType;

use super::words::{MOST_PIECES, Piece, octet_pieces, pieces};

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
    /// Bits of a quant.
    pub(super) bits: usize,
    /// Taken from a quant.
    pub(super) offset: u8,
    /// The block's step is f32 instead of f16.
    pub(super) wide_step: bool,
    /// There is a floor.
    pub(super) floor: bool,
    /// How steps and floors of groups follow from those of the block.
    pub(super) factors: Factors,
    /// Quants are arranged for products of bytes.
    pub(super) octets: bool,
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
    pub(in crate::ops) const fn of(dtype: GgmlDType) -> Option<Self> {
        Some(match dtype {
            GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16 => return None,
            GgmlDType::Q4_0 => Self::small(dtype, 18, 4, 8),
            GgmlDType::Q4_1 => Self::small(dtype, 20, 4, 0).with_floor(),
            GgmlDType::Q5_0 => Self::small(dtype, 22, 5, 16),
            GgmlDType::Q5_1 => Self::small(dtype, 24, 5, 0).with_floor(),
            GgmlDType::Q8_0 => Self::small(dtype, 34, 8, 128),
            GgmlDType::Q8_1 => Self::small(dtype, 36, 8, 128),
            GgmlDType::Q2K => Self::large(dtype, 84, (16, 2, 0), Factors::Nibbles).with_floor(),
            GgmlDType::Q3K => Self::large(dtype, 110, (16, 3, 4), Factors::Steps),
            GgmlDType::Q4K => {
                Self::large(dtype, 144, (32, 4, 0), Factors::StepsAndFloors).with_floor()
            }
            GgmlDType::Q5K => {
                Self::large(dtype, 176, (32, 5, 0), Factors::StepsAndFloors).with_floor()
            }
            GgmlDType::Q6K => Self::large(dtype, 210, (16, 6, 32), Factors::Steps),
            GgmlDType::Q8K => {
                Self { wide_step: true, ..Self::large(dtype, 292, (256, 8, 128), Factors::One) }
            }
        })
    }

    /// Blocks of 32 numbers.
    const fn small(dtype: GgmlDType, block_bytes: usize, bits: usize, offset: u8) -> Self {
        Self {
            dtype,
            depth: 32,
            block_bytes,
            group: 32,
            bits,
            offset,
            wide_step: false,
            floor: false,
            factors: Factors::One,
            octets: false,
        }
    }

    /// Blocks of 256 numbers.
    const fn large(
        dtype: GgmlDType,
        block_bytes: usize,
        (group, bits, offset): (usize, usize, u8),
        factors: Factors,
    ) -> Self {
        Self { depth: 256, group, factors, ..Self::small(dtype, block_bytes, bits, offset) }
    }

    const fn with_floor(self) -> Self {
        Self { floor: true, ..self }
    }

    /// The same, with quants arranged for products of bytes.
    pub(in crate::ops) const fn in_octets(self) -> Self {
        Self { octets: true, ..self }
    }

    /// Where the quant at `place` of a span is in the span's words.
    pub(super) const fn pieces(self, place: usize) -> [Piece; MOST_PIECES] {
        if self.octets { octet_pieces(self.bits, place) } else { pieces(self.bits, place) }
    }

    /// Whether floors are multiplied with sums of inputs that were rounded to f16.
    #[cfg(test)]
    pub(super) const fn floor_sums_are_halves(self) -> bool {
        self.floor && self.depth == 32
    }

    /// Groups of a block.
    pub(super) const fn groups(self) -> usize {
        self.depth / self.group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_as_large_as_in_files() {
        for dtype in [
            GgmlDType::Q4_0,
            GgmlDType::Q4_1,
            GgmlDType::Q5_0,
            GgmlDType::Q5_1,
            GgmlDType::Q8_0,
            GgmlDType::Q8_1,
            GgmlDType::Q2K,
            GgmlDType::Q3K,
            GgmlDType::Q4K,
            GgmlDType::Q5K,
            GgmlDType::Q6K,
            GgmlDType::Q8K,
        ] {
            let format = Format::of(dtype).unwrap();
            let found = (format.dtype, format.depth, format.block_bytes);
            assert_eq!(found, (dtype, dtype.block_size(), dtype.type_size()));
        }
        assert_eq!(Format::of(GgmlDType::BF16), None);
    }
}
