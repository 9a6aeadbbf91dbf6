//! Reading parameters onto a device.

use std::borrow::Cow;

use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use candle_core::{DType, Device, Tensor};

use super::fp8::Fp8Tensor;
use super::{ParameterSource, WeightFiles, low_rank};
use crate::model::error::ModelError;
use crate::model::stacked_map::StackedMap;
use crate::model::stored_matrix::{StoredMatrix, transposed};
use crate::ops::linear::{Activations, BytesPart, Fp8Part, StoredBytes, Weight, WeightPart};
use crate::ops::stored_tensor::stored_tensor;

/// Reads parameters onto a device.
pub(in crate::model) struct Loader<'a> {
    /// Where they are read from.
    pub(in crate::model) files: &'a WeightFiles,
    /// Where they go.
    pub(in crate::model) device: &'a Device,
    /// What they are converted to. Weights of linear maps on the CPU stay as they are stored.
    pub(in crate::model) dtype: DType,
    /// What becomes of the inputs of quantised weights.
    pub(in crate::model) activations: Activations,
}

impl Loader<'_> {
    /// A tensor's bytes and the type of its numbers, with what an adapter changes about it.
    fn bytes(
        &self,
        name: &str,
        shape: &[usize],
    ) -> Result<(Box<dyn StoredBytes + '_>, GgmlDType), ModelError> {
        let (file, tensor) = self.files.find(name, shape)?;
        let (bytes, stored): (Box<dyn StoredBytes + '_>, _) = match self.files.fp8(name, shape)? {
            Some(widened) => (Box::new(widened), GgmlDType::F32),
            None => (Box::new(file.bytes(tensor)), file.dtype(name, tensor)?),
        };
        let Some((change, adapter)) = self.files.low_rank(name) else {
            return Ok((bytes, stored));
        };
        let part = |name: &str| {
            let tensor = adapter.tensor(name)?;
            let dtype = adapter.dtype(name, tensor)?;
            let part = widen(&adapter.bytes(tensor).all()?, dtype, &tensor.shape)?;
            Ok(part.to_dtype(DType::F32)?)
        };
        let merged = change.merge(&widen(&bytes.all()?, stored, shape)?, part)?;
        Ok((Box::new(low_rank::little_endian(&merged)?), GgmlDType::F32))
    }

    /// The maps of one weight where they stay 8-bit floats; `None` where they do not.
    fn fp8(
        &self,
        maps: &[(String, usize)],
        input_size: usize,
    ) -> Result<Option<Weight>, ModelError> {
        let mut tensors = Vec::with_capacity(maps.len());
        for (name, rows) in maps {
            match self.files.fp8(name, &[*rows, input_size])? {
                Some(tensor) if self.files.low_rank(name).is_none() => tensors.push(tensor),
                _ => return Ok(None),
            }
        }
        let depth = |tensor: &Fp8Tensor<'_>| tensor.scales.block_inputs();
        if tensors.windows(2).any(|two| depth(&two[0]) != depth(&two[1])) {
            return Ok(None);
        }
        let parts: Vec<Fp8Part<'_>> = tensors
            .iter()
            .zip(maps)
            .map(|(tensor, (_, rows))| Fp8Part {
                codes: &tensor.codes,
                scales: &tensor.scales,
                rows: *rows,
            })
            .collect();
        if self.device.is_cpu() {
            return Ok(Some(Weight::pack_fp8(&parts, input_size)?));
        }
        Ok(Weight::in_device_fp8(&parts, input_size, self.device, self.dtype)?)
    }

    /// A tensor of `bytes`, on the device.
    fn tensor(
        &self,
        bytes: &dyn StoredBytes,
        dtype: GgmlDType,
        shape: &[usize],
    ) -> Result<Tensor, ModelError> {
        if number_type(dtype) == Some(self.dtype) {
            return Ok(stored_tensor(&[bytes], self.dtype, shape, self.device)?);
        }
        let tensor = widen(&bytes.all()?, dtype, shape)?;
        Ok(tensor.to_dtype(self.dtype)?.to_device(self.device)?)
    }

    /// What a number of a tensor takes that does not stand in a block with others.
    fn number_bytes(
        &self,
        name: &str,
        shape: &[usize],
        dtype: GgmlDType,
    ) -> Result<usize, ModelError> {
        match dtype.block_size() {
            1 => Ok(dtype.type_size()),
            _ => Err(ModelError::Unsupported {
                path: self.files.find(name, shape)?.0.path().to_owned(),
                what: format!("tensor `{name}` in blocks of {dtype:?} across its inputs"),
            }),
        }
    }

    /// A weight of parts, one below the other, on the device.
    fn join(&self, parts: &[WeightPart<'_>], input_size: usize) -> Result<Weight, ModelError> {
        if self.device.is_cpu() {
            return Ok(Weight::pack_for(parts, input_size, self.activations)?);
        }
        let blocks = Weight::in_device_blocks(parts, input_size, self.device, self.dtype)?;
        if let Some(weight) = blocks {
            return Ok(weight);
        }
        if parts.iter().all(|part| number_type(part.dtype) == Some(self.dtype)) {
            let bytes: Vec<&dyn StoredBytes> = parts.iter().map(|part| part.bytes).collect();
            let rows: usize = parts.iter().map(|part| part.rows).sum();
            let numbers = stored_tensor(&bytes, self.dtype, (rows, input_size), self.device)?;
            return Ok(Weight::plain(numbers)?);
        }
        let tensors = parts
            .iter()
            .map(|part| self.tensor(part.bytes, part.dtype, &[part.rows, input_size]))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Weight::plain(Tensor::cat(&tensors, 0)?)?)
    }
}

impl ParameterSource for Loader<'_> {
    fn parameter(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        let (bytes, stored) = self.bytes(name, shape)?;
        self.tensor(&*bytes, stored, shape)
    }

    fn weight(&self, maps: &[(String, usize)], input_size: usize) -> Result<Weight, ModelError> {
        if let Some(weight) = self.fp8(maps, input_size)? {
            return Ok(weight);
        }
        let stored = maps
            .iter()
            .map(|(name, rows)| self.bytes(name, &[*rows, input_size]))
            .collect::<Result<Vec<_>, ModelError>>()?;
        let parts: Vec<WeightPart<'_>> = stored
            .iter()
            .zip(maps)
            .map(|((bytes, dtype), (_, rows))| WeightPart {
                bytes: &**bytes,
                dtype: *dtype,
                rows: *rows,
            })
            .collect();
        self.join(&parts, input_size)
    }

    fn weight_of(&self, matrix: &StoredMatrix, input_size: usize) -> Result<Weight, ModelError> {
        if matrix.is_whole() {
            return self.weight(&[(matrix.weight_name(), matrix.stored_rows)], input_size);
        }
        let shape = matrix.shape(input_size);
        let (mut bytes, dtype) = self.bytes(&matrix.weight_name(), &shape)?;
        if matrix.transposed {
            let number_bytes = self.number_bytes(&matrix.weight_name(), &shape, dtype)?;
            bytes = Box::new(transposed(&bytes.all()?, matrix.stored_rows, number_bytes));
        }
        let row_bytes = bytes.count() / matrix.stored_rows.max(1);
        let wanted: Vec<BytesPart<'_>> = matrix
            .rows
            .iter()
            .map(|rows| BytesPart {
                of: &*bytes,
                range: rows.start * row_bytes..rows.end * row_bytes,
            })
            .collect();
        let parts: Vec<WeightPart<'_>> = wanted
            .iter()
            .zip(&matrix.rows)
            .map(|(bytes, rows)| WeightPart { bytes, dtype, rows: rows.len() })
            .collect();
        self.join(&parts, input_size)
    }

    fn stacked_weight(&self, name: &str, map: StackedMap) -> Result<Weight, ModelError> {
        let (bytes, dtype) = self.bytes(name, &map.shape())?;
        let range = map.stretch(bytes.count());
        let mut own: Box<dyn StoredBytes + '_> = Box::new(BytesPart { of: &*bytes, range });
        if !map.is_stretch() {
            let size = if map.inputs_first {
                self.number_bytes(name, &map.shape(), dtype)?
            } else {
                dtype.type_size()
            };
            own = Box::new(map.cut(&own.all()?, size));
        }
        let part = WeightPart { bytes: &*own, dtype, rows: map.count };
        self.join(&[part], map.input_size)
    }

    fn of_layer(&self, _: usize) -> &dyn ParameterSource {
        self
    }

    fn contains(&self, name: &str) -> bool {
        self.files.contains(name)
    }

    fn device(&self) -> &Device {
        self.device
    }

    fn dtype(&self) -> DType {
        self.dtype
    }
}

/// A tensor of `bytes` in host memory; quantised numbers as f32.
fn widen(bytes: &[u8], dtype: GgmlDType, shape: &[usize]) -> Result<Tensor, ModelError> {
    let Some(number) = number_type(dtype) else {
        let storage = QStorage::from_data(Cow::Borrowed(bytes), &Device::Cpu, dtype)?;
        return Ok(QTensor::new(storage, shape)?.dequantize(&Device::Cpu)?);
    };
    Ok(Tensor::from_raw_buffer(bytes, number, shape, &Device::Cpu)?)
}

/// The type of numbers that stand alone; `None` of blocks.
fn number_type(dtype: GgmlDType) -> Option<DType> {
    match dtype {
        GgmlDType::F32 => Some(DType::F32),
        GgmlDType::F16 => Some(DType::F16),
        GgmlDType::BF16 => Some(DType::BF16),
        _ => None,
    }
}
