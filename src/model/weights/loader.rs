//! Reading parameters onto a device.

use std::borrow::Cow;

use candle_core::{DType, Device, Tensor};

use super::{ParameterSource, WeightFiles, dtype};
use crate::model::error::ModelError;
use crate::model::stacked_map::StackedMap;
use crate::model::stored_matrix::{StoredMatrix, transposed};
use crate::ops::linear::{Weight, WeightPart};

/// Reads parameters onto a device.
pub(in crate::model) struct Loader<'a> {
    /// Where they are read from.
    pub(in crate::model) files: &'a WeightFiles,
    /// Where they go.
    pub(in crate::model) device: &'a Device,
    /// What they are converted to; weights of linear maps on the CPU stay as they are stored.
    pub(in crate::model) dtype: DType,
}

impl Loader<'_> {
    /// A tensor's bytes and the type of its numbers.
    fn bytes(&self, name: &str, shape: &[usize]) -> Result<(&[u8], DType), ModelError> {
        let (file, info) = self.files.find(name, shape)?;
        let stored = dtype(file, name, info)?;
        let (start, end) = info.data_offsets;
        match file.map.get(file.data_start + start..file.data_start + end) {
            Some(bytes) => Ok((bytes, stored)),
            None => Err(ModelError::Weights {
                path: file.path.clone(),
                problem: format!("tensor `{name}` reaches beyond the end of the file"),
            }),
        }
    }

    /// Takes a tensor's bytes out of the process: they are packed by now.
    #[cfg(unix)]
    #[expect(unsafe_code, reason = "the general call can also damage a private map")]
    fn release(&self, name: &str, shape: &[usize]) -> Result<(), ModelError> {
        let (file, info) = self.files.find(name, shape)?;
        let (start, end) = info.data_offsets;
        // SAFETY: the map is shared with the file and never written, so whatever is released is read
        // from the file again if it is needed.
        let released = unsafe {
            let advice = memmap2::UncheckedAdvice::DontNeed;
            file.map.unchecked_advise_range(advice, file.data_start + start, end - start)
        };
        released.map_err(|source| ModelError::Io { path: file.path.clone(), source })
    }

    #[cfg(not(unix))]
    fn release(&self, _: &str, _: &[usize]) -> Result<(), ModelError> {
        Ok(())
    }
}

impl ParameterSource for Loader<'_> {
    fn parameter(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        let (bytes, stored) = self.bytes(name, shape)?;
        let tensor = Tensor::from_raw_buffer(bytes, stored, shape, &Device::Cpu)?;
        Ok(tensor.to_dtype(self.dtype)?.to_device(self.device)?)
    }

    fn weight(&self, maps: &[(String, usize)], input_size: usize) -> Result<Weight, ModelError> {
        if self.device.is_cpu() {
            let parts = maps
                .iter()
                .map(|(name, rows)| {
                    let (bytes, dtype) = self.bytes(name, &[*rows, input_size])?;
                    Ok(WeightPart { bytes, dtype, rows: *rows })
                })
                .collect::<Result<Vec<_>, ModelError>>()?;
            let weight = Weight::pack(&parts, input_size)?;
            for (name, rows) in maps {
                self.release(name, &[*rows, input_size])?;
            }
            return Ok(weight);
        }
        let parts = maps
            .iter()
            .map(|(name, rows)| self.parameter(name, &[*rows, input_size]))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Weight::plain(Tensor::cat(&parts, 0)?)?)
    }

    fn weight_of(&self, matrix: &StoredMatrix, input_size: usize) -> Result<Weight, ModelError> {
        let shape = matrix.shape(input_size);
        if !self.device.is_cpu() {
            let stored = self.parameter(&matrix.weight_name(), &shape)?;
            let stored = if matrix.transposed { stored.t()? } else { stored };
            return Ok(Weight::plain(matrix.select(&stored)?)?);
        }
        let (bytes, dtype) = self.bytes(&matrix.weight_name(), &shape)?;
        let bytes = if matrix.transposed {
            transposed(bytes, matrix.stored_rows, dtype.size_in_bytes())
        } else {
            Cow::Borrowed(bytes)
        };
        let row_bytes = input_size * dtype.size_in_bytes();
        let parts: Vec<WeightPart<'_>> = matrix
            .rows
            .iter()
            .map(|rows| WeightPart {
                bytes: &bytes[rows.start * row_bytes..rows.end * row_bytes],
                dtype,
                rows: rows.len(),
            })
            .collect();
        let weight = Weight::pack(&parts, input_size)?;
        self.release(&matrix.weight_name(), &shape)?;
        Ok(weight)
    }

    fn stacked_weight(&self, name: &str, map: StackedMap) -> Result<Weight, ModelError> {
        let (bytes, dtype) = self.bytes(name, &map.shape())?;
        let (bytes, rows) = (map.cut(bytes, dtype.size_in_bytes()), map.count);
        if self.device.is_cpu() {
            let part = WeightPart { bytes: &bytes, dtype, rows };
            let weight = Weight::pack(&[part], map.input_size)?;
            self.release(name, &map.shape())?;
            return Ok(weight);
        }
        let shape = [rows, map.input_size];
        let tensor = Tensor::from_raw_buffer(&bytes, dtype, &shape, &Device::Cpu)?;
        Ok(Weight::plain(tensor.to_dtype(self.dtype)?.to_device(self.device)?)?)
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
