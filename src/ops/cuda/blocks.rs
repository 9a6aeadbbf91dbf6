//! Weights that stay quantised in a GPU's memory.
//!
//! Blocks of GGUF files and codes of 8-bit floats lie there as in their files. [`DeviceBlocks::rows`], the only way out, widens
//! what a product reads next to the type that is computed in and gives it up afterwards: what counts is memory, of which a
//! weight takes no more for good than its file. Widening first and multiplying then reads and writes the widened numbers once
//! each; for hundreds of rows a pass that is little beside the product. Numbers are those of the CPU, narrowed once.

use std::ops::Range;

use candle_core::quantized::GgmlDType;
use candle_core::{DType, Device, Result, Tensor};

use super::launch::{Launch, WIDEN, address, device, optional_address, threads_for};
use super::upload::shared_words;
use crate::ops::linear::{Fp8Part, StoredBytes, WeightPart};
use crate::ops::stored_tensor::stored_tensor;

/// Numbers that a thread widens, at least.
const THREAD_NUMBERS: usize = 8;
/// Threads of a row, at most.
const ROW_THREADS: u32 = 256;

/// A quantised weight `(out, in)` on a GPU.
#[derive(Debug)]
pub(in crate::ops) struct DeviceBlocks {
    parts: Vec<DevicePart>,
    input_size: usize,
    /// What is computed in.
    dtype: DType,
}

/// Outputs that are stored in the same way.
#[derive(Debug)]
struct DevicePart {
    bytes: Tensor,
    rows: usize,
    kind: PartKind,
}

/// What the bytes of a part stand for.
#[derive(Debug)]
enum PartKind {
    /// Blocks.
    Blocks(GgmlDType),
    /// 8-bit floats: their scales, and outputs and inputs of a block.
    Fp8 { scales: Tensor, block: [usize; 2] },
}

impl DeviceBlocks {
    /// Sends blocks to a GPU, part below part, to be computed with in `dtype`; all of them are quantised.
    pub(in crate::ops) fn send(
        parts: &[WeightPart<'_>],
        input_size: usize,
        device: &Device,
        dtype: DType,
    ) -> Result<Self> {
        let send = |part: &WeightPart<'_>| {
            let bytes = sent(part.bytes, device)?;
            Ok(DevicePart { bytes, rows: part.rows, kind: PartKind::Blocks(part.dtype) })
        };
        let parts = parts.iter().map(send).collect::<Result<_>>()?;
        Ok(Self { parts, input_size, dtype })
    }

    /// Sends 8-bit floats likewise.
    pub(in crate::ops) fn send_fp8(
        parts: &[Fp8Part<'_>],
        input_size: usize,
        device: &Device,
        dtype: DType,
    ) -> Result<Self> {
        let send = |part: &Fp8Part<'_>| {
            let (block, scales) = part.scales.parts();
            let kind = PartKind::Fp8 { scales: Tensor::new(scales, device)?, block };
            Ok(DevicePart { bytes: sent(part.codes, device)?, rows: part.rows, kind })
        };
        let parts = parts.iter().map(send).collect::<Result<_>>()?;
        Ok(Self { parts, input_size, dtype })
    }

    /// The numbers of `outputs`, which are inside, `(outputs, in)`.
    pub(in crate::ops) fn rows(&self, outputs: Range<usize>, dtype: DType) -> Result<Tensor> {
        let rows = self.empty(outputs.len(), dtype)?;
        let mut before = 0;
        for part in &self.parts {
            let own = before..before + part.rows;
            before = own.end;
            let (start, end) = (own.start.max(outputs.start), own.end.min(outputs.end));
            if start < end {
                let place = rows.narrow(0, start - outputs.start, end - start)?;
                part.widen(None, start - own.start, 1.0, &place)?;
            }
        }
        Ok(rows)
    }

    /// The outputs `ids`, all inside, times `factor`, `(ids, in)`.
    pub(in crate::ops) fn embedding(&self, ids: &[u32], factor: f32) -> Result<Tensor> {
        let [part] = self.parts.as_slice() else {
            candle_core::bail!("an embedding of several parts")
        };
        let rows = self.empty(ids.len(), self.dtype)?;
        let ids = shared_words(ids, &device(&part.bytes)?)?;
        part.widen(Some(&ids), 0, factor, &rows)?;
        Ok(rows)
    }

    fn empty(&self, rows: usize, dtype: DType) -> Result<Tensor> {
        let Some(part) = self.parts.first() else { candle_core::bail!("a weight without parts") };
        // SAFETY: the kernels write every number.
        unsafe { Tensor::empty((rows, self.input_size), dtype, part.bytes.device()) }
    }
}

impl DevicePart {
    /// Writes its rows: those of `ids`, or those from `first` on.
    fn widen(&self, ids: Option<&Tensor>, first: usize, factor: f32, to: &Tensor) -> Result<()> {
        let gpu = device(&self.bytes)?;
        let (count, size) = to.dims2()?;
        let launch = match &self.kind {
            PartKind::Blocks(format) => {
                Launch::of_type(&gpu, WIDEN, &format!("widen_{format:?}"), to.dtype())?
                    .address(address(&self.bytes)?)
                    .address(optional_address(ids)?)
                    .address(address(to)?)
                    .count(first)
                    .count(size)
                    .factor(factor)
            }
            PartKind::Fp8 { scales, block: [rows, columns] } => {
                let shape = [*rows, *columns, size.div_ceil(*columns)].map(|size| size as u32);
                Launch::of_type(&gpu, WIDEN, "widen_fp8", to.dtype())?
                    .address(address(&self.bytes)?)
                    .address(address(scales)?)
                    .address(optional_address(ids)?)
                    .address(address(to)?)
                    .count(first)
                    .count(size)
                    .words(&shape)
                    .factor(factor)
            }
        };
        // SAFETY: rows are inside of the part, whose bytes and scales fit its shape, and the output has a row for each.
        unsafe { launch.run((count, 1), threads_for(size, THREAD_NUMBERS, ROW_THREADS), 0) }
    }
}

/// Bytes in the memory of a GPU.
fn sent(bytes: &dyn StoredBytes, device: &Device) -> Result<Tensor> {
    stored_tensor(&[bytes], DType::U8, bytes.count(), device)
}
