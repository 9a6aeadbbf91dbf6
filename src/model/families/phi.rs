//! Phi 1, 1.5 and 2: both branches read one layer norm, heads are partly rotated, biases
//! everywhere.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{Activation, NormSpec, QueryKeyNorm};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 51_200,
    hidden_size: 2048,
    feed_forward_size: 8192,
    layers: 24,
    rotated_share: 0.5,
    activation: Activation::GeluTanh,
    ..Defaults::LLAMA
};

pub(super) const NAMES: TensorNames = TensorNames {
    final_norm: "model.final_layernorm",
    layer: LayerNames {
        output: "self_attn.dense",
        up: "mlp.fc1",
        down: "mlp.fc2",
        query_norm: "self_attn.q_layernorm",
        key_norm: "self_attn.k_layernorm",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads a Phi config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    spec.head.bias = true;
    let norm = NormSpec::layer(config.number_or("layer_norm_eps", 1e-5)?);
    spec.set_norms(norm);
    let query_key_norm =
        config.flag_or("qk_layernorm", false)?.then_some(QueryKeyNorm::of_heads(norm));
    for layer in &mut spec.layers {
        layer.parallel = true;
        layer.norms.before_feed_forward = None;
        layer.attention.query_key_norm = query_key_norm;
        layer.attention.input_bias = true;
        layer.attention.output_bias = true;
        layer.feed_forward.bias = true;
        layer.feed_forward.gated = false;
    }
    Ok(Description { spec, names: NAMES })
}
