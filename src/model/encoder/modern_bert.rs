//! `ModernBERT` (Warner et al. 2024): norms before each branch, rotated queries and keys, gated feed-forward, and layers
//! in which a token sees its neighbours alone.

use std::path::Path;

use candle_core::{DType, Device, Result, Tensor};
use serde::Deserialize;
use serde_json::Value;

use super::{network::unsupported, settings::parsed};
use crate::model::{
    error::ModelError,
    families::named_activation,
    norm::Norm,
    projection::Projection,
    rope::{self, Rotation},
    spec::{NormSpec, Reach, RotaryPairing, RotaryScaling, RotarySpec},
    two_way_attention::{Heads, attention, spans_of},
    weights::ParameterSource,
};
use crate::ops::{
    activation::{Activation, activation},
    embedding::embedding,
    linear::{Residual, Weight},
    rotary::{Angles, rotary},
};

/// What stands before the names of tensors in files of whole models.
const PREFIXES: &[&str] = &["", "model."];

#[derive(Deserialize)]
struct ModernBertConfig {
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    max_position_embeddings: usize,
    vocab_size: usize,
    #[serde(default = "gelu")]
    hidden_activation: String,
    #[serde(default = "epsilon")]
    norm_eps: f64,
    #[serde(default)]
    norm_bias: bool,
    #[serde(default)]
    attention_bias: bool,
    #[serde(default)]
    mlp_bias: bool,
    #[serde(default = "window")]
    local_attention: usize,
    #[serde(default = "every_third")]
    global_attn_every_n_layers: usize,
    layer_types: Option<Vec<String>>,
    rope_parameters: Option<RotaryParameters>,
    global_rope_theta: Option<f64>,
    local_rope_theta: Option<f64>,
}

#[derive(Deserialize)]
struct RotaryParameters {
    full_attention: Option<RotaryOfKind>,
    sliding_attention: Option<RotaryOfKind>,
}

#[derive(Deserialize)]
struct RotaryOfKind {
    rope_theta: f64,
    rope_type: Option<String>,
}

/// What such a transformer computes.
#[derive(Clone, Debug)]
pub(super) struct ModernBertSpec {
    pub(super) hidden_size: usize,
    pub(super) vocabulary_size: usize,
    pub(super) most_tokens: usize,
    heads: usize,
    inner_size: usize,
    activation: Activation,
    norm: NormSpec,
    has_attention_bias: bool,
    has_inner_bias: bool,
    /// How far a token sees in the layers that do not see everything.
    window: usize,
    /// For each layer whether it sees everything.
    sees_all: Vec<bool>,
    /// Bases of the rotations of layers that see everything and of the others.
    thetas: [f64; 2],
}

impl ModernBertSpec {
    /// Reads a config.
    pub(super) fn read(path: &Path, config: Value) -> std::result::Result<Self, ModelError> {
        let config: ModernBertConfig = parsed(path, config)?;
        let activation = named_activation(&config.hidden_activation).ok_or_else(|| {
            unsupported(path, format!("hidden_activation {:?}", config.hidden_activation))
        })?;
        let wrong = |problem: String| ModelError::Config { path: path.to_owned(), problem };
        let is_even = config.num_attention_heads > 0
            && config.hidden_size.is_multiple_of(2 * config.num_attention_heads);
        if !is_even {
            return Err(wrong(format!(
                "hidden_size {} does not give {} heads of an even size",
                config.hidden_size, config.num_attention_heads
            )));
        }
        let sees_all = match &config.layer_types {
            Some(types) => types
                .iter()
                .map(|kind| match kind.as_str() {
                    "full_attention" => Ok(true),
                    "sliding_attention" => Ok(false),
                    other => Err(unsupported(path, format!("layer type {other:?}"))),
                })
                .collect::<std::result::Result<Vec<_>, _>>()?,
            None => (0..config.num_hidden_layers)
                .map(|layer| layer.is_multiple_of(config.global_attn_every_n_layers))
                .collect(),
        };
        if sees_all.len() != config.num_hidden_layers {
            return Err(wrong(format!(
                "layer_types names {} layers, num_hidden_layers {}",
                sees_all.len(),
                config.num_hidden_layers
            )));
        }
        let (all, near) = config
            .rope_parameters
            .map_or((None, None), |found| (found.full_attention, found.sliding_attention));
        let theta = |found: Option<RotaryOfKind>, old: Option<f64>, usual: f64| match found {
            None => Ok(old.unwrap_or(usual)),
            Some(RotaryOfKind { rope_theta, rope_type }) => match rope_type.as_deref() {
                None | Some("default") => Ok(rope_theta),
                Some(other) => Err(unsupported(path, format!("rope_type {other:?}"))),
            },
        };
        Ok(Self {
            hidden_size: config.hidden_size,
            vocabulary_size: config.vocab_size,
            most_tokens: config.max_position_embeddings,
            heads: config.num_attention_heads,
            inner_size: config.intermediate_size,
            activation,
            norm: NormSpec::Layer {
                epsilon: config.norm_eps,
                weight: true,
                weight_offset: 0.0,
                bias: config.norm_bias,
            },
            has_attention_bias: config.attention_bias,
            has_inner_bias: config.mlp_bias,
            window: config.local_attention / 2,
            sees_all,
            thetas: [
                theta(all, config.global_rope_theta, 160_000.0)?,
                theta(near, config.local_rope_theta, 10_000.0)?,
            ],
        })
    }
}

/// A transformer whose parameters are loaded.
#[derive(Debug)]
pub(super) struct ModernBert {
    spec: ModernBertSpec,
    words: Weight,
    norm: Norm,
    layers: Vec<ModernBertLayer>,
    final_norm: Norm,
}

#[derive(Debug)]
struct ModernBertLayer {
    /// The first layer has none: the embedding's norm has just been.
    before_attention: Option<Norm>,
    query_key_value: Projection,
    output: Projection,
    before_feed_forward: Norm,
    /// What is bent and what it is multiplied with, side by side.
    gate_up: Projection,
    down: Projection,
}

impl ModernBert {
    /// Takes the parameters from `source`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        spec: &ModernBertSpec,
    ) -> std::result::Result<Self, ModelError> {
        let words = |prefix: &str| format!("{prefix}embeddings.tok_embeddings.weight");
        let prefix = PREFIXES.iter().find(|prefix| source.contains(&words(prefix))).unwrap_or(&"");
        let (size, inner_size) = (spec.hidden_size, spec.inner_size);
        let norm = |name: &str| Norm::load(source, &format!("{prefix}{name}"), spec.norm, size);
        let map = |name: &str, from, to, has_bias| {
            Projection::load(source, &format!("{prefix}{name}"), from, to, has_bias)
        };
        let layers = (0..spec.sees_all.len())
            .map(|number| {
                let place = |name: &str| format!("layers.{number}.{name}");
                let (attention, inner) = (spec.has_attention_bias, spec.has_inner_bias);
                Ok(ModernBertLayer {
                    before_attention: (number > 0)
                        .then(|| norm(&place("attn_norm")))
                        .transpose()?,
                    query_key_value: map(&place("attn.Wqkv"), size, 3 * size, attention)?,
                    output: map(&place("attn.Wo"), size, size, attention)?,
                    before_feed_forward: norm(&place("mlp_norm"))?,
                    gate_up: map(&place("mlp.Wi"), size, 2 * inner_size, inner)?,
                    down: map(&place("mlp.Wo"), inner_size, size, inner)?,
                })
            })
            .collect::<std::result::Result<_, ModelError>>()?;
        Ok(Self {
            words: source.weight(&[(words(prefix), spec.vocabulary_size)], size)?,
            norm: norm("embeddings.norm")?,
            layers,
            final_norm: norm("final_norm")?,
            spec: spec.clone(),
        })
    }

    /// A row for every token of all texts.
    pub(super) fn hidden(&self, texts: &[&[u32]]) -> Result<Tensor> {
        let spans = spans_of(texts.iter().map(|ids| ids.len()));
        let spec = &self.spec;
        let heads = Heads { count: spec.heads, size: spec.hidden_size / spec.heads };
        let places: Vec<u32> = texts.iter().flat_map(|ids| 0..ids.len() as u32).collect();
        let angles = spec.thetas.map(|theta| {
            let rotation = RotarySpec {
                rotated_size: heads.size,
                theta,
                pairing: RotaryPairing::Halves,
                scaling: RotaryScaling::None,
                pair_axes: Vec::new(),
            };
            let rotation = Rotation::new(&rotation, Reach::Native);
            let (cosines, sines) = rope::angles(&rotation, &places, &Device::Cpu, DType::F32)?;
            Ok::<_, candle_core::Error>(Angles { cosines, sines, positions: None })
        });
        let [all, near] = angles;
        let (all, near) = (all?, near?);
        let mut stream = self.norm.forward(&embedding(&texts.concat(), &self.words, None)?)?;
        for (layer, sees_all) in self.layers.iter().zip(&spec.sees_all) {
            let normed = match &layer.before_attention {
                Some(norm) => norm.forward(&stream)?,
                None => stream.clone(),
            };
            let projected = layer.query_key_value.forward(&normed, None)?;
            let angles = if *sees_all { &all } else { &near };
            // Queries and keys are heads side by side.
            let turned = (2 * heads.count, heads.size);
            let projected = rotary(projected, turned, angles, RotaryPairing::Halves)?;
            let window = (!sees_all).then_some(spec.window);
            let attended = attention(&projected, &spans, heads, &|_, tokens| mask(tokens, window))?;
            let residual = Residual::of(&stream);
            stream = layer.output.forward(&attended, Some(residual))?;
            let both = layer.gate_up.forward(&layer.before_feed_forward.forward(&stream)?, None)?;
            let gate = both.narrow(1, 0, spec.inner_size)?.force_contiguous()?;
            let up = both.narrow(1, spec.inner_size, spec.inner_size)?;
            let inner = (activation(gate, spec.activation)? * up)?;
            let residual = Residual::of(&stream);
            stream = layer.down.forward(&inner, Some(residual))?;
        }
        self.final_norm.forward(&stream)
    }
}

/// What hides the tokens of a text that are farther from each other than the window reaches.
fn mask(tokens: usize, window: Option<usize>) -> Result<Option<Tensor>> {
    let Some(window) = window.filter(|window| tokens > window + 1) else { return Ok(None) };
    let numbers: Vec<f32> = (0..tokens)
        .flat_map(|query| (0..tokens).map(move |key| query.abs_diff(key)))
        .map(|distance| if distance > window { f32::NEG_INFINITY } else { 0.0 })
        .collect();
    Tensor::from_vec(numbers, (1, tokens, tokens), &Device::Cpu).map(Some)
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn epsilon() -> f64 {
    1e-5
}

fn window() -> usize {
    128
}

fn every_third() -> usize {
    3
}
