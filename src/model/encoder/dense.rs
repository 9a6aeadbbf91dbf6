//! What is done with a pooled vector: a linear map with an activation, and division by its length.

use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Tensor};
use serde_json::Value;

use super::modules::fields;
use crate::model::{
    error::ModelError,
    json,
    projection::Projection,
    weights::{HeaderCheck, Loader, ParameterSource, WeightFiles},
};
use crate::ops::linear::Activations;
use crate::ops::{
    activation::{Activation, activation},
    host,
};

/// The name of the map in the files of a dense module.
const LINEAR: &str = "linear";

/// The smallest length that a vector is divided by.
const LEAST_LENGTH: f64 = 1e-12;

/// What follows the map.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Curve {
    Identity,
    Tanh,
    Sigmoid,
    Other(Activation),
}

/// A dense module whose files are open.
#[derive(Debug)]
pub(super) struct Dense {
    path: PathBuf,
    input_size: usize,
    output_size: usize,
    has_bias: bool,
    curve: Curve,
    weights: WeightFiles,
}

/// A step whose weights are loaded.
#[derive(Debug)]
pub(super) enum LoadedStage {
    Dense(Projection, DenseCurve),
    Normalize,
}

/// The activation of a loaded map.
#[derive(Clone, Copy, Debug)]
pub(super) struct DenseCurve(Curve);

impl Dense {
    /// Opens the module in a folder.
    pub(super) fn open(folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join("config.json");
        let wrong = |problem: String| ModelError::Config { path: path.clone(), problem };
        let mut found = fields(&path, json::read(&path)?)?;
        let mut size = |field: &str| {
            let value = found.remove(field).unwrap_or_default();
            let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
            number.ok_or_else(|| wrong(format!("{field} is {value}, not a number")))
        };
        let (input_size, output_size) = (size("in_features")?, size("out_features")?);
        let has_bias = match found.remove("bias") {
            None => true,
            Some(Value::Bool(flag)) => flag,
            Some(other) => return Err(wrong(format!("bias is {other}, not a boolean"))),
        };
        let named = found.remove("activation_function");
        let named =
            named.as_ref().and_then(Value::as_str).unwrap_or("torch.nn.modules.activation.Tanh");
        let curve = match named.rsplit('.').next().unwrap_or_default() {
            "Identity" => Curve::Identity,
            "Tanh" => Curve::Tanh,
            "Sigmoid" => Curve::Sigmoid,
            "GELU" => Curve::Other(Activation::Gelu),
            "ReLU" => Curve::Other(Activation::Relu),
            "SiLU" => Curve::Other(Activation::Silu),
            _ => {
                let what = format!("activation_function {named}");
                return Err(ModelError::Unsupported { path, what });
            }
        };
        for (field, usual) in [
            ("module_input_name", "sentence_embedding"),
            ("module_output_name", "sentence_embedding"),
        ] {
            match found.remove(field) {
                None | Some(Value::Null) => {}
                Some(Value::String(name)) if name == usual => {}
                Some(other) => {
                    let what = format!("{field} = {other}");
                    return Err(ModelError::Unsupported { path, what });
                }
            }
        }
        if let Some((field, value)) = found.into_iter().next() {
            let what = format!("{field} = {value}");
            return Err(ModelError::Unsupported { path, what });
        }
        let weights = WeightFiles::open(folder)?;
        Ok(Self { path, input_size, output_size, has_bias, curve, weights })
    }

    /// Refuses a module that does not fit vectors of `size`, or lacks a tensor; the size that it gives.
    pub(super) fn check(&self, size: usize) -> Result<usize, ModelError> {
        if size != self.input_size {
            return Err(ModelError::Config {
                path: self.path.clone(),
                problem: format!(
                    "in_features is {}, but the vectors that come have {size} numbers",
                    self.input_size
                ),
            });
        }
        let headers = HeaderCheck::new(&self.weights);
        self.projection(&headers)?;
        match headers.unused(|_| false) {
            None => Ok(self.output_size),
            Some((path, tensor)) => Err(ModelError::Unsupported {
                path,
                what: format!("tensor `{tensor}`, which the config does not account for,"),
            }),
        }
    }

    /// Reads the weights.
    pub(super) fn load(&self) -> Result<LoadedStage, ModelError> {
        let source = Loader {
            files: &self.weights,
            device: &Device::Cpu,
            dtype: DType::F32,
            activations: Activations::Exact,
        };
        Ok(LoadedStage::Dense(self.projection(&source)?, DenseCurve(self.curve)))
    }

    fn projection(&self, source: &dyn ParameterSource) -> Result<Projection, ModelError> {
        Projection::load(source, LINEAR, self.input_size, self.output_size, self.has_bias)
    }
}

impl LoadedStage {
    /// What becomes of a vector.
    pub(super) fn apply(&self, vector: Vec<f32>) -> Result<Vec<f32>, ModelError> {
        match self {
            Self::Dense(map, DenseCurve(curve)) => {
                let size = vector.len();
                let input = Tensor::from_vec(vector, (1, size), &Device::Cpu)?;
                let output = map.forward(&input, None)?;
                let output = match curve {
                    Curve::Identity => output,
                    Curve::Tanh => output.tanh()?,
                    Curve::Sigmoid => (output.neg()?.exp()? + 1.0)?.recip()?,
                    Curve::Other(kind) => activation(output, *kind)?,
                };
                Ok(host::read(&output, <[f32]>::to_vec)?)
            }
            Self::Normalize => Ok(normalized(vector)),
        }
    }
}

/// A vector of length one.
fn normalized(mut vector: Vec<f32>) -> Vec<f32> {
    let squares: f64 = vector.iter().map(|number| f64::from(*number).powi(2)).sum();
    let length = squares.sqrt().max(LEAST_LENGTH);
    for number in &mut vector {
        *number = (f64::from(*number) / length) as f32;
    }
    vector
}
