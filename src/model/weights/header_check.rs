//! Checking what a decoder asks for against the headers of the files.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::PathBuf;

use candle_core::quantized::GgmlDType;
use candle_core::{DType, Device, Tensor};

use super::{ParameterSource, WeightFiles};
use crate::model::error::ModelError;
use crate::model::stacked_map::StackedMap;
use crate::model::stored_matrix::StoredMatrix;
use crate::ops::linear::Weight;

/// Checks names, shapes and types without reading a number.
pub(in crate::model) struct HeaderCheck<'a> {
    files: &'a WeightFiles,
    asked: RefCell<BTreeSet<String>>,
    /// How many were asked for.
    parameters: Cell<usize>,
    /// Of all that was asked for, once it is in host memory.
    bytes: Cell<usize>,
}

impl<'a> HeaderCheck<'a> {
    /// A check of `files` in which nothing was asked for yet.
    pub(in crate::model) fn new(files: &'a WeightFiles) -> Self {
        Self {
            files,
            asked: RefCell::default(),
            parameters: Cell::default(),
            bytes: Cell::default(),
        }
    }

    /// Host memory that all that was asked for takes: weights of linear maps as they are stored,
    /// everything else as f32.
    pub(in crate::model) fn bytes(&self) -> usize {
        self.bytes.get()
    }

    /// How many numbers were asked for.
    pub(in crate::model) fn parameters(&self) -> usize {
        self.parameters.get()
    }

    /// Notes that a tensor is asked for; the type of its numbers.
    fn ask(&self, name: &str, shape: &[usize]) -> Result<GgmlDType, ModelError> {
        let (file, tensor) = self.files.find(name, shape)?;
        let stored = file.dtype(name, tensor)?;
        self.asked.borrow_mut().extend(self.files.stored_name(name).map(str::to_owned));
        Ok(if self.files.low_rank(name).is_some() { GgmlDType::F32 } else { stored })
    }

    /// Counts a weight of parts, each a type and a number of outputs.
    fn count(&self, parts: &[(GgmlDType, usize)], input_size: usize) {
        let outputs: usize = parts.iter().map(|(_, outputs)| outputs).sum();
        self.parameters.update(|parameters| parameters + outputs * input_size);
        self.bytes.update(|bytes| bytes + Weight::packed_bytes(parts, input_size));
    }

    /// The first tensor that is stored but was never asked for: a sign that the checkpoint computes
    /// something the spec does not say.
    pub(in crate::model) fn unused(
        self,
        ignored: impl Fn(&str) -> bool,
    ) -> Option<(PathBuf, String)> {
        let asked = self.asked.into_inner();
        let (name, &place) =
            self.files.places.iter().find(|(name, _)| !asked.contains(*name) && !ignored(name))?;
        Some((self.files.files[place].path().to_owned(), name.clone()))
    }
}

impl ParameterSource for HeaderCheck<'_> {
    fn parameter(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        self.ask(name, shape)?;
        self.count(&[(GgmlDType::F32, 1)], shape.iter().product());
        // A single number seen as the whole tensor: the right shape without the memory.
        Ok(Tensor::zeros((), DType::F32, &Device::Cpu)?.broadcast_as(shape)?)
    }

    fn weight(&self, maps: &[(String, usize)], input_size: usize) -> Result<Weight, ModelError> {
        let mut stored = Vec::with_capacity(maps.len());
        for (name, rows) in maps {
            stored.push((self.ask(name, &[*rows, input_size])?, *rows));
        }
        self.count(&stored, input_size);
        placeholder(maps.iter().map(|(_, rows)| rows).sum(), input_size)
    }

    fn weight_of(&self, matrix: &StoredMatrix, input_size: usize) -> Result<Weight, ModelError> {
        let stored = self.ask(&matrix.weight_name(), &matrix.shape(input_size))?;
        let rows = matrix.rows.iter().map(ExactSizeIterator::len).sum();
        self.count(&[(stored, rows)], input_size);
        placeholder(rows, input_size)
    }

    fn stacked_weight(&self, name: &str, map: StackedMap) -> Result<Weight, ModelError> {
        let stored = self.ask(name, &map.shape())?;
        self.count(&[(stored, map.count)], map.input_size);
        placeholder(map.count, map.input_size)
    }

    fn contains(&self, name: &str) -> bool {
        self.files.contains(name)
    }

    fn device(&self) -> &Device {
        &Device::Cpu
    }

    fn dtype(&self) -> DType {
        DType::F32
    }
}

/// A weight of the right shape without its memory.
fn placeholder(output_size: usize, input_size: usize) -> Result<Weight, ModelError> {
    let zero = Tensor::zeros((), DType::F32, &Device::Cpu)?;
    Ok(Weight::plain(zero.broadcast_as((output_size, input_size))?)?)
}
