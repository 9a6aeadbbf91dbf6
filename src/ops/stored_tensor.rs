//! Stored numbers as a tensor on a device.
//!
//! Several threads read them, and on an NVIDIA GPU each sends what it has read from memory that the device copies from by
//! itself: loading is then as fast as the file. Numbers keep their type; what is to be another one is converted
//! elsewhere, and so is what stands in blocks.

use candle_core::{DType, Device, Result, Shape, Tensor};

use super::linear::StoredBytes;

/// A tensor of `shape` of the numbers of `parts`, one after the other, in little-endian.
///
/// # Errors
/// Where there are more or fewer bytes than `shape` takes, or where they cannot be had.
pub fn stored_tensor(
    parts: &[&dyn StoredBytes],
    dtype: DType,
    shape: impl Into<Shape>,
    device: &Device,
) -> Result<Tensor> {
    let shape = shape.into();
    let count: usize = parts.iter().map(|part| part.count()).sum();
    if count != shape.elem_count() * dtype.size_in_bytes() {
        candle_core::bail!("{count} bytes are no {shape:?} of {}", dtype.as_str())
    }
    #[cfg(feature = "cuda")]
    if device.is_cuda() {
        // SAFETY: every byte is written before anything else happens on the device's stream.
        let tensor = unsafe { Tensor::empty(&shape, dtype, device) }?;
        let mut first = 0;
        for part in parts {
            super::cuda::send_bytes(*part, &tensor, first)?;
            first += part.count();
        }
        return Ok(tensor);
    }
    let bytes = parts.iter().map(|part| part.all()).collect::<Result<Vec<_>>>()?;
    let joined = if let [only] = bytes.as_slice() { only } else { &bytes.concat() };
    Tensor::from_raw_buffer(joined, dtype, shape.dims(), device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_one_after_the_other() {
        let bytes = |numbers: &[f32]| -> Vec<u8> {
            numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
        };
        let (one, two) = (bytes(&[1.0, 2.0]), bytes(&[3.0, 4.0, 5.0, 6.0]));
        let parts: [&dyn StoredBytes; 2] = [&one, &two];
        let tensor = stored_tensor(&parts, DType::F32, (3, 2), &Device::Cpu).unwrap();
        let numbers: Vec<Vec<f32>> = tensor.to_vec2().unwrap();
        assert_eq!(numbers, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
        let wrong = stored_tensor(&parts, DType::F32, (4, 2), &Device::Cpu).unwrap_err();
        assert!(wrong.to_string().contains("24 bytes are no"), "{wrong}");
    }
}
