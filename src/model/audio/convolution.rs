//! A convolution along time, as one product over gathered rows.

use candle_core::quantized::GgmlDType;
use candle_core::{DType, Result, Tensor};

use crate::model::error::ModelError;
use crate::model::projection::Projection;
use crate::model::weights::ParameterSource;
use crate::ops::linear::{Weight, WeightPart};

/// Rows that an output sees: its own, the one before and the one behind it.
const SEEN: usize = 3;

/// A convolution over three rows, with a row of zeros at both ends.
#[derive(Clone, Debug)]
pub(super) struct Convolution {
    map: Projection,
    stride: usize,
}

impl Convolution {
    /// Takes the parameters below `name`; every `stride`th row has an output.
    pub(super) fn load(
        source: &dyn ParameterSource,
        name: &str,
        [input_size, output_size]: [usize; 2],
        stride: usize,
    ) -> std::result::Result<Self, ModelError> {
        let stored =
            source.parameter(&format!("{name}.weight"), &[output_size, input_size, SEEN])?;
        // Rows come one behind the other, and their channels are stored apart.
        let matrix = stored.transpose(1, 2)?.reshape((output_size, SEEN * input_size))?;
        let weight = if source.device().is_cpu() {
            let numbers = matrix.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
            let bytes: Vec<u8> = numbers.into_iter().flat_map(f32::to_le_bytes).collect();
            let part = WeightPart { bytes: &bytes, dtype: GgmlDType::F32, rows: output_size };
            Weight::pack(&[part], SEEN * input_size)?
        } else {
            Weight::plain(matrix)?
        };
        let bias = Some(source.parameter(&format!("{name}.bias"), &[output_size])?);
        Ok(Self { map: Projection { weight, bias }, stride })
    }

    /// `(rows, in)` → `(⌈rows / stride⌉, out)`.
    pub(super) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        let (count, size) = rows.dims2()?;
        let outputs = count.div_ceil(self.stride);
        let seen = |output: usize| {
            let first = (output * self.stride) as u32;
            first..first + SEEN as u32
        };
        let places: Vec<u32> = (0..outputs).flat_map(seen).collect();
        let places = Tensor::from_vec(places, outputs * SEEN, rows.device())?;
        let gathered = rows.pad_with_zeros(0, 1, 1)?.index_select(&places, 0)?;
        self.map.forward(&gathered.reshape((outputs, SEEN * size))?, None)
    }
}
