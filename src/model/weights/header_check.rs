//! Checking what a decoder asks for against the headers of the files.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::PathBuf;

use candle_core::quantized::GgmlDType;
use candle_core::{DType, Device, Tensor};

use super::{ParameterSource, WeightFiles};
use crate::model::error::ModelError;
use crate::model::layer_split::ModelBytes;
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
    /// The layer that is being asked for, and what was asked for of each.
    layer: Cell<Option<usize>>,
    layer_bytes: RefCell<Vec<usize>>,
}

impl<'a> HeaderCheck<'a> {
    /// A check of `files` in which nothing was asked for yet.
    pub(in crate::model) fn new(files: &'a WeightFiles) -> Self {
        Self {
            files,
            asked: RefCell::default(),
            parameters: Cell::default(),
            bytes: Cell::default(),
            layer: Cell::default(),
            layer_bytes: RefCell::default(),
        }
    }

    /// Host memory that all that was asked for takes, by layer: weights of linear maps as they are stored, everything else
    /// as f32.
    pub(in crate::model) fn model_bytes(&self) -> ModelBytes {
        let layers = self.layer_bytes.borrow().clone();
        let rest = self.bytes.get() - layers.iter().sum::<usize>();
        ModelBytes { layers, rest }
    }

    /// Notes memory, and whose it is.
    fn take(&self, bytes: usize) {
        self.bytes.update(|sum| sum + bytes);
        if let Some(number) = self.layer.get() {
            let mut layers = self.layer_bytes.borrow_mut();
            if layers.len() <= number {
                layers.resize(number + 1, 0);
            }
            layers[number] += bytes;
        }
    }

    /// How many numbers were asked for.
    pub(in crate::model) fn parameters(&self) -> usize {
        self.parameters.get()
    }

    /// Notes that a tensor is asked for; the type of its numbers.
    fn ask(&self, name: &str, shape: &[usize]) -> Result<GgmlDType, ModelError> {
        let (file, tensor) = self.files.find(name, shape)?;
        let scales = self.files.fp8_scales(name, shape)?;
        let stored = match scales {
            Some(_) => GgmlDType::F32,
            None => file.dtype(name, tensor)?,
        };
        let mut asked = self.asked.borrow_mut();
        asked.extend(self.files.stored_name(name).map(str::to_owned));
        asked.extend(scales.map(|scales| scales.name.to_owned()));
        Ok(if self.files.low_rank(name).is_some() { GgmlDType::F32 } else { stored })
    }

    /// What the maps of one weight take where they stay 8-bit floats; `None` where they do not.
    fn fp8_bytes(
        &self,
        maps: &[(String, usize)],
        input_size: usize,
    ) -> Result<Option<usize>, ModelError> {
        let mut depths = Vec::with_capacity(maps.len());
        for (name, rows) in maps {
            match self.files.fp8_scales(name, &[*rows, input_size])? {
                Some(scales) if self.files.low_rank(name).is_none() => depths.push(scales.block[1]),
                _ => return Ok(None),
            }
        }
        let outputs = maps.iter().map(|(_, rows)| rows).sum();
        let alike = depths.first().filter(|depth| depths.iter().all(|other| other == *depth));
        Ok(alike.map(|&depth| Weight::packed_fp8_bytes(outputs, input_size, depth)))
    }

    /// Counts a weight of parts, each a type and a number of outputs.
    fn count(&self, parts: &[(GgmlDType, usize)], input_size: usize) {
        let outputs: usize = parts.iter().map(|(_, outputs)| outputs).sum();
        self.parameters.update(|parameters| parameters + outputs * input_size);
        self.take(Weight::packed_bytes(parts, input_size));
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
        let outputs: usize = maps.iter().map(|(_, rows)| rows).sum();
        match self.fp8_bytes(maps, input_size)? {
            None => self.count(&stored, input_size),
            Some(packed) => {
                self.parameters.update(|parameters| parameters + outputs * input_size);
                self.take(packed);
            }
        }
        placeholder(outputs, input_size)
    }

    fn weight_of(&self, matrix: &StoredMatrix, input_size: usize) -> Result<Weight, ModelError> {
        if matrix.is_whole() {
            return self.weight(&[(matrix.weight_name(), matrix.stored_rows)], input_size);
        }
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

    fn of_layer(&self, number: usize) -> &dyn ParameterSource {
        self.layer.set(Some(number));
        self
    }

    fn of_no_layer(&self) {
        self.layer.set(None);
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
