//! Models of known shapes with random weights, for measuring speed without a checkpoint.
//!
//! Time and memory of a dense decoder depend on its shape and not on its numbers. Shapes are the
//! published `config.json`s, read by the same families as a checkpoint's. Weights in host memory are bf16,
//! as most checkpoints store them, and the same in every run; what such a model says is noise.

use std::cell::Cell;
use std::path::Path;
use std::str::FromStr;

use candle_core::quantized::GgmlDType;
use candle_core::{DType, Device, Tensor};
use half::bf16;
use rayon::prelude::*;
use serde_json::{Value, json};
use thiserror::Error;

use super::checkpoint::Model;
use super::decoder::Decoder;
use super::error::ModelError;
use super::families::{self, Description};
use super::generation_config::GenerationConfig;
use super::stacked_map::StackedMap;
use super::stored_matrix::StoredMatrix;
use super::tokenizer::Tokenizer;
use super::weights::ParameterSource;
use crate::ops::linear::{Weight, WeightPart};

/// Numbers that one thread draws at a time; each stretch has a seed of its own.
const NUMBERS_PER_STRETCH: usize = 1 << 14;

/// A well-known model's sizes, to be filled with random weights.
#[derive(Clone, Copy, Debug)]
pub struct SyntheticShape {
    name: &'static str,
    config: fn() -> Value,
}

/// Every shape, sorted by name.
const SHAPES: &[SyntheticShape] = &[
    SyntheticShape {
        name: "llama25m",
        config: || {
            json!({
                "model_type": "llama", "vocab_size": 4096, "hidden_size": 384,
                "intermediate_size": 2048, "num_hidden_layers": 8, "num_attention_heads": 6,
                "num_key_value_heads": 2, "max_position_embeddings": 2048,
            })
        },
    },
    SyntheticShape {
        name: "llama3-8b",
        config: || {
            json!({
                "model_type": "llama", "vocab_size": 128_256, "hidden_size": 4096,
                "intermediate_size": 14_336, "num_hidden_layers": 32, "num_attention_heads": 32,
                "num_key_value_heads": 8, "max_position_embeddings": 8192, "rope_theta": 500_000.0,
            })
        },
    },
    SyntheticShape {
        name: "llama3.2-1b",
        config: || {
            json!({
                "model_type": "llama", "vocab_size": 128_256, "hidden_size": 2048,
                "intermediate_size": 8192, "num_hidden_layers": 16, "num_attention_heads": 32,
                "num_key_value_heads": 8, "max_position_embeddings": 131_072,
                "rope_theta": 500_000.0, "tie_word_embeddings": true,
            })
        },
    },
    SyntheticShape {
        name: "qwen0.5b",
        config: || {
            json!({
                "model_type": "qwen2", "vocab_size": 151_936, "hidden_size": 896,
                "intermediate_size": 4864, "num_hidden_layers": 24, "num_attention_heads": 14,
                "num_key_value_heads": 2, "max_position_embeddings": 32_768,
                "rope_theta": 1_000_000.0, "tie_word_embeddings": true,
            })
        },
    },
    SyntheticShape {
        name: "qwen2.5-7b",
        config: || {
            json!({
                "model_type": "qwen2", "vocab_size": 152_064, "hidden_size": 3584,
                "intermediate_size": 18_944, "num_hidden_layers": 28, "num_attention_heads": 28,
                "num_key_value_heads": 4, "max_position_embeddings": 32_768,
                "rope_theta": 1_000_000.0,
            })
        },
    },
];

/// The error that no shape has this name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("no model shape is called {name:?}; there are: {known}")]
pub struct UnknownShape {
    name: String,
    known: String,
}

impl SyntheticShape {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Makes the model on `device`, computing in `dtype`; in host memory weights are bf16.
    pub fn model(&self, device: &Device, dtype: DType) -> Result<Model, ModelError> {
        let Description { spec, names } =
            families::describe(Path::new(self.name), (self.config)())?;
        let dtype = if device.is_cpu() { DType::F32 } else { dtype };
        let source = Noise { device, dtype, bytes: Cell::default() };
        let decoder = Decoder::load(&source, &spec, &names)?;
        Ok(Model {
            decoder,
            tokenizer: Tokenizer::without_vocabulary(),
            generation: GenerationConfig::default(),
            weight_bytes: source.bytes.get(),
            sight: None,
        })
    }
}

impl FromStr for SyntheticShape {
    type Err = UnknownShape;

    fn from_str(name: &str) -> Result<Self, UnknownShape> {
        SHAPES.iter().find(|shape| shape.name == name).copied().ok_or_else(|| UnknownShape {
            name: name.to_owned(),
            known: SHAPES.iter().map(SyntheticShape::name).collect::<Vec<_>>().join(", "),
        })
    }
}

/// Gives random weights, norms of one and biases of zero.
struct Noise<'d> {
    device: &'d Device,
    /// What is computed, and how weights on another device are kept.
    dtype: DType,
    bytes: Cell<usize>,
}

impl Noise<'_> {
    fn count(&self, numbers: usize, dtype: DType) {
        self.bytes.update(|bytes| bytes + numbers * dtype.size_in_bytes());
    }

    /// A weight with random numbers.
    fn draw(&self, rows: usize, input_size: usize) -> Result<Weight, ModelError> {
        // Outputs are about as large as inputs, so that nothing overflows on the way through.
        let scale = (3.0 / input_size as f32).sqrt();
        if !self.device.is_cpu() {
            self.count(rows * input_size, self.dtype);
            let numbers = Tensor::rand(-scale, scale, (rows, input_size), self.device)?;
            return Ok(Weight::plain(numbers.to_dtype(self.dtype)?)?);
        }
        let mut numbers = vec![bf16::ZERO; rows * input_size];
        numbers.par_chunks_mut(NUMBERS_PER_STRETCH).enumerate().for_each(|(stretch, numbers)| {
            let mut state = stretch as u64 + 1;
            for number in numbers {
                *number = bf16::from_f32(scale * draw(&mut state));
            }
        });
        let bytes: Vec<u8> = numbers.into_par_iter().flat_map_iter(bf16::to_le_bytes).collect();
        self.count(rows * input_size, DType::BF16);
        let part = WeightPart { bytes: &bytes, dtype: GgmlDType::BF16, rows };
        Ok(Weight::pack(&[part], input_size)?)
    }
}

impl ParameterSource for Noise<'_> {
    fn parameter(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        self.count(shape.iter().product(), self.dtype);
        let value = if name.rsplit('.').next() == Some("bias") { 0f32 } else { 1.0 };
        Ok(Tensor::full(value, shape, self.device)?.to_dtype(self.dtype)?)
    }

    fn weight(&self, maps: &[(String, usize)], input_size: usize) -> Result<Weight, ModelError> {
        self.draw(maps.iter().map(|(_, rows)| rows).sum(), input_size)
    }

    fn weight_of(&self, matrix: &StoredMatrix, input_size: usize) -> Result<Weight, ModelError> {
        self.draw(matrix.rows.iter().map(ExactSizeIterator::len).sum(), input_size)
    }

    fn stacked_weight(&self, _: &str, map: StackedMap) -> Result<Weight, ModelError> {
        self.draw(map.count, map.input_size)
    }

    fn of_layer(&self, _: usize) -> &dyn ParameterSource {
        self
    }

    fn contains(&self, _: &str) -> bool {
        true
    }

    fn device(&self) -> &Device {
        self.device
    }

    fn dtype(&self) -> DType {
        self.dtype
    }
}

/// A number between −1 and 1 (splitmix64, Steele et al. 2014).
fn draw(state: &mut u64) -> f32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_can_be_described() {
        assert!(SHAPES.is_sorted_by_key(|shape| shape.name));
        for shape in SHAPES {
            families::describe(Path::new(shape.name), (shape.config)()).unwrap();
        }
        assert!("llama".parse::<SyntheticShape>().unwrap_err().to_string().contains("llama25m"));
    }
}
