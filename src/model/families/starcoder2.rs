//! `StarCoder` 2: layer norms, a plain feed-forward, biases everywhere, an optional window.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{Activation, NormSpec};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 49_152,
    hidden_size: 3072,
    feed_forward_size: 12_288,
    layers: 30,
    heads: 24,
    key_value_heads: Some(2),
    context_tokens: 4096,
    tied: true,
    activation: Activation::GeluTanh,
    ..Defaults::LLAMA
};

const NAMES: TensorNames = TensorNames {
    layer: LayerNames { up: "mlp.c_fc", down: "mlp.c_proj", ..names::LLAMA.layer },
    ..names::LLAMA
};

/// Reads a `StarCoder` 2 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    let bias = config.flag_or("use_bias", true)?;
    let window_tokens = config.optional_count("sliding_window")?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.attention.window_tokens = window_tokens;
        layer.feed_forward.bias = bias;
        layer.feed_forward.gated = false;
    }
    spec.set_norms(NormSpec::layer(config.number_or("norm_epsilon", 1e-5)?));
    Ok(Description { spec, names: NAMES })
}
