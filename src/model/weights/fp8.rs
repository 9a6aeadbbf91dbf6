//! Tensors of 8-bit floats, with the scales that stand beside them.

use candle_core::quantized::GgmlDType;

use super::file::{Numbers, StoredTensor};
use super::{WeightFile, WeightFiles};
use crate::model::error::ModelError;
use crate::model::fp8_scheme::Fp8Scheme;
use crate::model::stored_file::StoredRange;
use crate::ops::fp8::{Fp8Scales, widen};
use crate::ops::linear::StoredBytes;

/// A stored matrix of codes.
pub(super) struct Fp8Tensor<'a> {
    pub(super) codes: StoredRange<'a>,
    pub(super) scales: Fp8Scales,
    input_size: usize,
}

/// Where the scales of codes stand.
pub(super) struct ScalesPlace<'a> {
    /// The name of their tensor.
    pub(super) name: &'a str,
    file: &'a WeightFile,
    tensor: &'a StoredTensor,
    /// Outputs and inputs of a block.
    pub(super) block: [usize; 2],
}

impl WeightFiles {
    /// The scales of the codes that are asked for as `name` and have `shape`; `None` where these are no 8-bit floats.
    pub(super) fn fp8_scales(
        &self,
        name: &str,
        shape: &[usize],
    ) -> Result<Option<ScalesPlace<'_>>, ModelError> {
        let (file, tensor) = self.find(name, shape)?;
        if tensor.numbers != Numbers::Fp8 {
            return Ok(None);
        }
        let unsupported = |what: &str| ModelError::Unsupported {
            path: file.path().to_owned(),
            what: format!("tensor `{name}` of type {}{what}", tensor.type_name()),
        };
        let Some(Fp8Scheme { scale_suffix, layout }) = self.fp8 else {
            return Err(unsupported(", of whose scales the config says nothing,"));
        };
        let &[outputs, inputs] = shape else { return Err(unsupported(", which is no matrix,")) };
        let stored = format!("{}{scale_suffix}", self.stored_name(name).unwrap_or(name));
        let Some((name, &place)) = self.places.get_key_value(&stored) else {
            return Err(unsupported(&format!(" without its scales, `{stored}`,")));
        };
        let scales_file = &self.files[place];
        let scales = scales_file.tensor(name)?;
        if !layout.fits(&scales.shape, [outputs, inputs]) {
            let block = layout.block([outputs, inputs]);
            return Err(ModelError::Shape {
                path: scales_file.path().to_owned(),
                tensor: stored,
                expected: vec![outputs.div_ceil(block[0].max(1)), inputs.div_ceil(block[1].max(1))],
                found: scales.shape.clone(),
            });
        }
        if !matches!(scales.numbers, Numbers::Exponents)
            && !matches!(scales.numbers, Numbers::Plain(dtype) if dtype.block_size() == 1)
        {
            return Err(ModelError::Unsupported {
                path: scales_file.path().to_owned(),
                what: format!("tensor `{stored}` of type {}", scales.type_name()),
            });
        }
        let block = layout.block([outputs, inputs]);
        Ok(Some(ScalesPlace { name, file: scales_file, tensor: scales, block }))
    }

    /// The codes that are asked for as `name`, with their scales; `None` where these are no 8-bit floats.
    pub(super) fn fp8(
        &self,
        name: &str,
        shape: &[usize],
    ) -> Result<Option<Fp8Tensor<'_>>, ModelError> {
        let Some(place) = self.fp8_scales(name, shape)? else { return Ok(None) };
        let (file, tensor) = self.find(name, shape)?;
        let (Some(&[outputs, inputs]), numbers) = (shape.first_chunk(), place.numbers()?) else {
            return Ok(None);
        };
        let Some(scales) = Fp8Scales::new(numbers, [outputs, inputs], place.block) else {
            return Ok(None);
        };
        Ok(Some(Fp8Tensor { codes: file.bytes(tensor), scales, input_size: inputs }))
    }
}

impl ScalesPlace<'_> {
    /// The scales as f32.
    fn numbers(&self) -> Result<Vec<f32>, ModelError> {
        let bytes = self.file.bytes(self.tensor).all()?;
        let two = || bytes.as_chunks::<2>().0.iter();
        Ok(match self.tensor.numbers {
            // A power of two by its exponent (OCP Microscaling Formats, E8M0).
            Numbers::Exponents => bytes.iter().map(|&code| power_of_two(code)).collect(),
            Numbers::Plain(GgmlDType::BF16) => {
                two().map(|&two| half::bf16::from_le_bytes(two).to_f32()).collect()
            }
            Numbers::Plain(GgmlDType::F16) => {
                two().map(|&two| half::f16::from_le_bytes(two).to_f32()).collect()
            }
            _ => bytes.as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four)).collect(),
        })
    }
}

/// 2^(code − 127); the last code is no number.
fn power_of_two(code: u8) -> f32 {
    match code {
        0 => f32::from_bits(0x40_0000),
        u8::MAX => f32::NAN,
        code => f32::from_bits(u32::from(code) << 23),
    }
}

/// Read as the f32 that they stand for.
impl StoredBytes for Fp8Tensor<'_> {
    fn count(&self) -> usize {
        self.codes.count() * size_of::<f32>()
    }

    fn read(&self, start: usize, into: &mut [u8]) -> candle_core::Result<()> {
        let first = start / size_of::<f32>();
        let (numbers, rest) = into.as_chunks_mut::<4>();
        if !start.is_multiple_of(size_of::<f32>()) || !rest.is_empty() {
            candle_core::bail!("a part of a number is asked for")
        }
        let mut codes = vec![0; numbers.len()];
        self.codes.read(first, &mut codes)?;
        for ((number, code), place) in numbers.iter_mut().zip(codes).zip(first..) {
            let scale = self.scales.at(place / self.input_size, place % self.input_size);
            *number = (widen(code) * scale).to_le_bytes();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_powers_of_two() {
        for code in 0..255u8 {
            let expected = 2f64.powi(i32::from(code) - 127) as f32;
            assert_eq!(power_of_two(code).to_bits(), expected.to_bits(), "{code}");
        }
        assert!(power_of_two(255).is_nan());
    }
}
