//! Phi 1, 1.5 and 2: both branches read one layer norm, heads are partly rotated, biases
//! everywhere.

use super::config::Config;
use super::llama::Defaults;
use super::{Description, activation, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{Activation, NormSpec};

const DEFAULTS: Defaults = Defaults { rotated_share: 0.5, ..Defaults::LLAMA };

const NAMES: TensorNames = TensorNames {
    final_norm: "model.final_layernorm",
    layer: LayerNames {
        output: "self_attn.dense",
        up: "mlp.fc1",
        down: "mlp.fc2",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads a Phi config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    if config.flag_or("qk_layernorm", false)? {
        return Err(config.unsupported("qk_layernorm"));
    }
    let mut spec = llama::base(config, &DEFAULTS)?;
    spec.head.bias = true;
    spec.set_norms(NormSpec::Layer {
        epsilon: config.number_or("layer_norm_eps", 1e-5)?,
        weight: true,
        weight_offset: 0.0,
        bias: true,
    });
    let activation = activation::read(config, "hidden_act", Activation::GeluTanh)?;
    for layer in &mut spec.layers {
        layer.parallel = true;
        layer.norms.before_feed_forward = None;
        layer.attention.input_bias = true;
        layer.attention.output_bias = true;
        layer.feed_forward.bias = true;
        layer.feed_forward.gated = false;
        layer.feed_forward.activation = activation;
    }
    Ok(Description { spec, names: NAMES })
}
