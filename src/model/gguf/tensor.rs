//! Entries of the list of tensors.

use std::ops::Range;

use candle_core::quantized::GgmlDType;

use super::cursor::{Cursor, Damage};

/// Most dimensions of a tensor.
const MOST_DIMENSIONS: u32 = 4;
/// What an entry takes at least: the length of its name, dimensions, type and place.
const LEAST_ENTRY_BYTES: usize = 8 + 4 + 4 + 8;

/// The names of block formats that files may hold and candle cannot read.
const OTHER_FORMATS: &[(u32, &str)] = &[
    (16, "IQ2_XXS"),
    (17, "IQ2_XS"),
    (18, "IQ3_XXS"),
    (19, "IQ1_S"),
    (20, "IQ4_NL"),
    (21, "IQ3_S"),
    (22, "IQ2_S"),
    (23, "IQ4_XS"),
    (24, "I8"),
    (25, "I16"),
    (26, "I32"),
    (27, "I64"),
    (28, "F64"),
    (29, "IQ1_M"),
    (34, "TQ1_0"),
    (35, "TQ2_0"),
    (39, "MXFP4"),
];

/// Where a tensor's numbers are and what they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GgufTensor {
    /// How its numbers are stored: one by one, or in blocks along the last dimension.
    pub dtype: GgmlDType,
    /// Its shape, slowest dimension first, as everywhere but in the file.
    pub shape: Vec<usize>,
    /// Its bytes in the file.
    pub bytes: Range<usize>,
}

/// What the file says of a tensor; its offset is counted from where the numbers of all tensors begin.
#[derive(Debug)]
pub(super) struct TensorEntry {
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    pub(super) format: Result<GgmlDType, String>,
    /// Bytes of its numbers; zero where the format is not known.
    pub(super) size_bytes: usize,
    pub(super) offset_bytes: u64,
}

impl TensorEntry {
    /// How many entries follow.
    pub(super) fn read_count(cursor: &mut Cursor<'_>) -> Result<usize, Damage> {
        cursor.count("tensors", LEAST_ENTRY_BYTES)
    }

    /// Reads entry `number`, counted from one.
    pub(super) fn read(cursor: &mut Cursor<'_>, number: usize) -> Result<Self, Damage> {
        let name = cursor
            .text()
            .map_err(|damage| damage.within(|| format!("the name of tensor {number}")))?;
        Self::read_named(cursor, name)
            .map_err(|damage| damage.within(|| format!("the entry of tensor `{name}`")))
    }

    fn read_named(cursor: &mut Cursor<'_>, name: &str) -> Result<Self, Damage> {
        let before = cursor.clone();
        let dimensions = cursor.u32()?;
        if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
            return Err(before.damage(format!("{dimensions} dimensions, where 1 to 4 are")));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            let before = cursor.clone();
            let size = cursor.u64()?;
            let size = usize::try_from(size).ok().filter(|&size| size > 0);
            shape.push(size.ok_or_else(|| before.damage("a dimension of impossible size"))?);
        }
        shape.reverse();
        let before = cursor.clone();
        let format = format(cursor.u32()?);
        let size_bytes = match &format {
            Ok(dtype) => bytes(&shape, *dtype).ok_or_else(|| {
                let blocks = dtype.block_size();
                before.damage(format!("{shape:?} numbers do not come in rows of whole blocks of {blocks} that fit into memory"))
            })?,
            Err(_) => 0,
        };
        let offset_bytes = cursor.u64()?;
        Ok(Self { name: name.to_owned(), shape, format, size_bytes, offset_bytes })
    }
}

/// What numbers of this `shape` take.
fn bytes(shape: &[usize], dtype: GgmlDType) -> Option<usize> {
    let (row, rows) = shape.split_last()?;
    let row_bytes = if row.is_multiple_of(dtype.block_size()) {
        (row / dtype.block_size()).checked_mul(dtype.type_size())?
    } else {
        return None;
    };
    rows.iter().try_fold(row_bytes, |bytes, &size| bytes.checked_mul(size))
}

/// A format by its number in the file, or its name if it cannot be read.
fn format(number: u32) -> Result<GgmlDType, String> {
    Ok(match number {
        0 => GgmlDType::F32,
        1 => GgmlDType::F16,
        2 => GgmlDType::Q4_0,
        3 => GgmlDType::Q4_1,
        6 => GgmlDType::Q5_0,
        7 => GgmlDType::Q5_1,
        8 => GgmlDType::Q8_0,
        9 => GgmlDType::Q8_1,
        10 => GgmlDType::Q2K,
        11 => GgmlDType::Q3K,
        12 => GgmlDType::Q4K,
        13 => GgmlDType::Q5K,
        14 => GgmlDType::Q6K,
        15 => GgmlDType::Q8K,
        30 => GgmlDType::BF16,
        other => {
            let known = OTHER_FORMATS.iter().find(|(number, _)| *number == other);
            return Err(known.map_or_else(|| format!("{other}"), |(_, name)| (*name).to_owned()));
        }
    })
}
