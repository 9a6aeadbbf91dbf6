//! The weight of a linear map, ready to be multiplied with.
//!
//! In host memory a weight is packed in panels of 32 outputs, as numbers or as blocks of quantised
//! numbers, and takes about as much memory as in its file. On other devices it is a tensor.

use std::ops::Range;
use std::sync::Arc;

use candle_core::quantized::GgmlDType;
use candle_core::{DType, Device, Result, Tensor};
use half::{bf16, f16};

use super::dense::Dense;
use super::stored_bytes::{StoredBytes, read_outputs};
use crate::ops::fp8::{Fp8Matrix, Fp8Scales};
use crate::ops::quantised::{Activations, Format, Quantised, widen};
use crate::ops::tile::COLUMNS;

/// A matrix `(out, in)`.
#[derive(Clone, Debug)]
pub struct Weight {
    output_size: usize,
    input_size: usize,
    pub(in crate::ops) matrix: Matrix,
}

/// How it is kept.
#[derive(Clone, Debug)]
pub(in crate::ops) enum Matrix {
    /// Packed for the CPU, as f32.
    F32(Arc<Dense<f32>>),
    /// Packed for the CPU, as bf16.
    Bf16(Arc<Dense<bf16>>),
    /// Packed for the CPU, as f16.
    F16(Arc<Dense<f16>>),
    /// Packed for the CPU, in blocks.
    Quantised(Arc<Quantised>),
    /// Packed for the CPU, as 8-bit floats with their scales.
    Fp8(Arc<Fp8Matrix>),
    /// Quantised, for an NVIDIA GPU.
    #[cfg(feature = "cuda")]
    Blocks(Arc<crate::ops::cuda::DeviceBlocks>),
    /// As it is, for other devices.
    Plain(Tensor),
}

/// Rows of a weight as they stand in a file.
#[derive(Clone, Copy, Debug)]
pub struct WeightPart<'a> {
    /// Little-endian numbers or blocks, `(rows, in)`.
    pub bytes: &'a dyn StoredBytes,
    /// Their type.
    pub dtype: GgmlDType,
    /// How many outputs they are.
    pub rows: usize,
}

/// Rows of a weight of 8-bit floats, as they stand in a file.
#[derive(Clone, Copy, Debug)]
pub struct Fp8Part<'a> {
    /// Codes in E4M3, `(rows, in)`.
    pub codes: &'a dyn StoredBytes,
    /// What they are multiplied with.
    pub scales: &'a Fp8Scales,
    /// How many outputs they are.
    pub rows: usize,
}

impl Weight {
    /// Packs `parts`, one below the other, for the CPU.
    ///
    /// Parts of different types are kept as f32, except that different blocks stay what they are
    /// where they fill whole panels.
    pub fn pack(parts: &[WeightPart<'_>], input_size: usize) -> Result<Self> {
        Self::pack_for(parts, input_size, Activations::Exact)
    }

    /// As [`Self::pack`], for inputs that stay what they are or are rounded where they meet blocks.
    pub fn pack_for(
        parts: &[WeightPart<'_>],
        input_size: usize,
        activations: Activations,
    ) -> Result<Self> {
        check(parts, input_size)?;
        let runs: Vec<(GgmlDType, usize)> =
            parts.iter().map(|part| (part.dtype, part.rows)).collect();
        let matrix = match Kept::of(&runs) {
            Kept::As(GgmlDType::BF16) => Matrix::Bf16(Arc::new(Dense::pack(parts, input_size)?)),
            Kept::As(GgmlDType::F16) => Matrix::F16(Arc::new(Dense::pack(parts, input_size)?)),
            Kept::As(_)
                if activations == Activations::Q8
                    && parts.iter().any(|part| part.dtype.block_size() > 1) =>
            {
                candle_core::bail!(
                    "weights of different types in one matrix, whose inputs cannot be rounded"
                )
            }
            Kept::As(_) => Matrix::F32(Arc::new(pack_widened(parts, input_size)?)),
            Kept::Blocks(runs) => {
                let read = |outputs: Range<usize>, scratch: &mut Vec<u8>| {
                    read_outputs(parts, outputs, input_size, scratch)
                };
                let runs: Vec<(Format, usize)> = match activations {
                    Activations::Exact => runs,
                    Activations::Q8 => {
                        runs.into_iter().map(|(format, rows)| (format.in_octets(), rows)).collect()
                    }
                };
                Matrix::Quantised(Arc::new(Quantised::pack(&runs, input_size, read)?))
            }
        };
        let output_size = parts.iter().map(|part| part.rows).sum();
        Ok(Self { output_size, input_size, matrix })
    }

    /// Packs `parts` of 8-bit floats, one below the other, for the CPU. An error where their scales belong to blocks of
    /// different numbers of inputs.
    pub fn pack_fp8(parts: &[Fp8Part<'_>], input_size: usize) -> Result<Self> {
        let output_size = parts.iter().map(|part| part.rows).sum();
        let matrix = Matrix::Fp8(Arc::new(Fp8Matrix::pack(parts, input_size)?));
        Ok(Self { output_size, input_size, matrix })
    }

    /// Memory that 8-bit floats take when they are packed, so many inputs of which share a scale.
    pub fn packed_fp8_bytes(outputs: usize, input_size: usize, block_inputs: usize) -> usize {
        Fp8Matrix::bytes(outputs, input_size, block_inputs)
    }

    /// Memory that parts, each a type and a number of outputs, take when they are packed.
    pub fn packed_bytes(parts: &[(GgmlDType, usize)], input_size: usize) -> usize {
        match Kept::of(parts) {
            Kept::As(dtype) => {
                let rows: usize = parts.iter().map(|(_, rows)| rows).sum();
                rows * input_size * dtype.type_size()
            }
            Kept::Blocks(runs) => runs
                .into_iter()
                .map(|(format, rows)| Quantised::bytes(format, rows, input_size))
                .sum(),
        }
    }

    /// A weight that stays a tensor `(out, in)`.
    pub fn plain(matrix: Tensor) -> Result<Self> {
        let (output_size, input_size) = matrix.dims2()?;
        Ok(Self { output_size, input_size, matrix: Matrix::Plain(matrix) })
    }

    /// The outputs of this weight and of another below them, where both are numbers of one type on an NVIDIA GPU.
    pub fn beside(&self, other: &Self) -> Result<Option<Self>> {
        match (&self.matrix, &other.matrix) {
            (Matrix::Plain(one), Matrix::Plain(below))
                if one.device().is_cuda()
                    && one.dtype() == below.dtype()
                    && self.input_size == other.input_size =>
            {
                Self::plain(Tensor::cat(&[one, below], 0)?).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Parts, one below the other, that stay quantised in the memory of `device` and are computed with in `dtype`; `None` where
    /// not all are in blocks, or where the device keeps none.
    pub fn in_device_blocks(
        parts: &[WeightPart<'_>],
        input_size: usize,
        device: &Device,
        dtype: DType,
    ) -> Result<Option<Self>> {
        check(parts, input_size)?;
        #[cfg(feature = "cuda")]
        if device.is_cuda() && parts.iter().all(|part| part.dtype.block_size() > 1) {
            let blocks = crate::ops::cuda::DeviceBlocks::send(parts, input_size, device, dtype)?;
            let output_size = parts.iter().map(|part| part.rows).sum();
            let matrix = Matrix::Blocks(Arc::new(blocks));
            return Ok(Some(Self { output_size, input_size, matrix }));
        }
        let _ = (device, dtype);
        Ok(None)
    }

    /// As [`Self::in_device_blocks`], of 8-bit floats.
    pub fn in_device_fp8(
        parts: &[Fp8Part<'_>],
        input_size: usize,
        device: &Device,
        dtype: DType,
    ) -> Result<Option<Self>> {
        #[cfg(feature = "cuda")]
        if device.is_cuda() {
            if parts.iter().any(|part| part.codes.count() != part.rows * input_size) {
                candle_core::bail!("a weight's bytes do not fit its shape")
            }
            let blocks =
                crate::ops::cuda::DeviceBlocks::send_fp8(parts, input_size, device, dtype)?;
            let output_size = parts.iter().map(|part| part.rows).sum();
            let matrix = Matrix::Blocks(Arc::new(blocks));
            return Ok(Some(Self { output_size, input_size, matrix }));
        }
        let _ = (parts, input_size, device, dtype);
        Ok(None)
    }

    /// Packs a tensor `(out, in)` for the CPU, in its type; on another device it stays as it is.
    pub fn from_tensor(tensor: &Tensor) -> Result<Self> {
        let (rows, input_size) = tensor.dims2()?;
        if !tensor.device().is_cpu() {
            return Self::plain(tensor.clone());
        }
        let flat = tensor.flatten_all()?;
        let (dtype, bytes): (_, Vec<u8>) = match tensor.dtype() {
            DType::BF16 => (
                GgmlDType::BF16,
                flat.to_vec1::<bf16>()?.into_iter().flat_map(bf16::to_le_bytes).collect(),
            ),
            DType::F16 => (
                GgmlDType::F16,
                flat.to_vec1::<f16>()?.into_iter().flat_map(f16::to_le_bytes).collect(),
            ),
            _ => (
                GgmlDType::F32,
                flat.to_vec1::<f32>()?.into_iter().flat_map(f32::to_le_bytes).collect(),
            ),
        };
        Self::pack(&[WeightPart { bytes: &bytes, dtype, rows }], input_size)
    }

    /// How many numbers it makes of a row.
    pub fn output_size(&self) -> usize {
        self.output_size
    }

    /// How many numbers of a row it reads.
    pub fn input_size(&self) -> usize {
        self.input_size
    }

    /// Whether it is packed for the CPU's kernel.
    pub(in crate::ops) fn is_packed(&self) -> bool {
        match self.matrix {
            Matrix::Plain(_) => false,
            #[cfg(feature = "cuda")]
            Matrix::Blocks(_) => false,
            Matrix::F32(_)
            | Matrix::Bf16(_)
            | Matrix::F16(_)
            | Matrix::Quantised(_)
            | Matrix::Fp8(_) => true,
        }
    }

    /// Whether it is in the memory of an NVIDIA GPU.
    #[cfg(feature = "cuda")]
    pub(in crate::ops) fn is_on_gpu(&self) -> bool {
        match &self.matrix {
            Matrix::Plain(matrix) => matrix.device().is_cuda(),
            Matrix::Blocks(_) => true,
            _ => false,
        }
    }

    /// Some of its outputs as a tensor of `dtype` on the GPU, `(outputs, in)`.
    #[cfg(feature = "cuda")]
    pub(in crate::ops) fn gpu_rows(&self, outputs: Range<usize>, dtype: DType) -> Result<Tensor> {
        match &self.matrix {
            Matrix::Plain(matrix) => {
                matrix.narrow(0, outputs.start, outputs.len())?.to_dtype(dtype)
            }
            Matrix::Blocks(blocks) => blocks.rows(outputs, dtype),
            _ => candle_core::bail!("a weight that should be on a GPU is not"),
        }
    }

    /// How many panels there are.
    pub(in crate::ops) fn panels(&self) -> usize {
        self.output_size.div_ceil(COLUMNS)
    }
}

fn check(parts: &[WeightPart<'_>], input_size: usize) -> Result<()> {
    let fits = |part: &WeightPart<'_>| {
        input_size.is_multiple_of(part.dtype.block_size())
            && part.bytes.count()
                == part.rows * (input_size / part.dtype.block_size()) * part.dtype.type_size()
    };
    if !parts.iter().all(fits) {
        candle_core::bail!("a weight's bytes do not fit its shape")
    }
    Ok(())
}

/// What parts are kept as.
enum Kept {
    /// Numbers of one type.
    As(GgmlDType),
    /// Blocks, so many outputs of each format.
    Blocks(Vec<(Format, usize)>),
}

impl Kept {
    /// What parts, each a type and a number of outputs, are kept as.
    fn of(parts: &[(GgmlDType, usize)]) -> Self {
        let mut runs: Vec<(GgmlDType, usize)> = Vec::new();
        for &(dtype, rows) in parts {
            match runs.last_mut() {
                Some((last, count)) if *last == dtype => *count += rows,
                _ => runs.push((dtype, rows)),
            }
        }
        let blocks: Option<Vec<(Format, usize)>> =
            runs.iter().map(|&(dtype, rows)| Some((Format::of(dtype)?, rows))).collect();
        match (runs.split_last(), blocks) {
            (Some((_, whole)), Some(blocks))
                if whole.iter().all(|(_, rows)| rows.is_multiple_of(COLUMNS)) =>
            {
                Self::Blocks(blocks)
            }
            (Some((&(dtype, _), [])), None) => Self::As(dtype),
            _ => Self::As(GgmlDType::F32),
        }
    }
}

/// Packs parts of any types as f32.
fn pack_widened(parts: &[WeightPart<'_>], input_size: usize) -> Result<Dense<f32>> {
    let widened = parts
        .iter()
        .map(|part| {
            let Some(format) = Format::of(part.dtype) else { return Ok(None) };
            let numbers = widen(format, &part.bytes.all()?);
            Ok(Some(numbers.into_iter().flat_map(f32::to_le_bytes).collect()))
        })
        .collect::<Result<Vec<Option<Vec<u8>>>>>()?;
    let parts: Vec<WeightPart<'_>> = parts
        .iter()
        .zip(&widened)
        .map(|(part, widened)| match widened {
            Some(bytes) => WeightPart { bytes, dtype: GgmlDType::F32, rows: part.rows },
            None => *part,
        })
        .collect();
    Dense::pack(&parts, input_size)
}
