//! Reading a tensor's numbers as a plain slice.

use candle_core::{DType, Device, Layout, Result, Storage, Tensor};

/// Calls `read` with the tensor's numbers in row-major order, as f32 in host memory.
///
/// A contiguous f32 tensor on the CPU is read in place; everything else is converted first.
pub fn read<R>(tensor: &Tensor, read: impl FnOnce(&[f32]) -> R) -> Result<R> {
    let tensor = tensor.to_dtype(DType::F32)?.to_device(&Device::Cpu)?.contiguous()?;
    let (storage, layout) = tensor.storage_and_layout();
    Ok(read(slice(&storage, layout)?))
}

/// The numbers of a contiguous f32 tensor in host memory, from its storage and layout.
pub fn slice<'a>(storage: &'a Storage, layout: &Layout) -> Result<&'a [f32]> {
    let Storage::Cpu(storage) = storage else {
        candle_core::bail!("a tensor that should be in host memory is on a device")
    };
    let Some((start, end)) = layout.contiguous_offsets() else {
        candle_core::bail!("a tensor that should be contiguous is not")
    };
    match storage.as_slice()?.get(start..end) {
        Some(numbers) => Ok(numbers),
        None => candle_core::bail!("a tensor is larger than its storage"),
    }
}
