//! `StarCoder` 2: layer norms, a plain feed-forward, biases everywhere, an optional window.

use super::config::Config;
use super::llama::Defaults;
use super::{Description, activation, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{Activation, NormSpec};

const DEFAULTS: Defaults = Defaults { context_tokens: 4096, tied: true, ..Defaults::LLAMA };

const NAMES: TensorNames = TensorNames {
    layer: LayerNames { up: "mlp.c_fc", down: "mlp.c_proj", ..names::LLAMA.layer },
    ..names::LLAMA
};

/// Reads a `StarCoder` 2 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    let bias = config.flag_or("use_bias", true)?;
    let window_tokens = config.optional_count("sliding_window")?;
    let activation = activation::read(config, "hidden_act", Activation::GeluTanh)?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.attention.window_tokens = window_tokens;
        layer.feed_forward.bias = bias;
        layer.feed_forward.gated = false;
        layer.feed_forward.activation = activation;
    }
    spec.set_norms(NormSpec::Layer {
        epsilon: config.number_or("norm_epsilon", 1e-5)?,
        weight: true,
        weight_offset: 0.0,
        bias: true,
    });
    Ok(Description { spec, names: NAMES })
}
