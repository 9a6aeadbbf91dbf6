//! Persimmon: layer norms, partly rotated heads with norms of their own, a plain feed-forward of squared
//! `ReLU`, biases everywhere.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, FusedInput, FusedOrder, LayerNames, TensorNames};
use crate::model::spec::{Activation, NormSpec, QueryKeyNorm};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 262_144,
    feed_forward_size: 16_384,
    layers: 36,
    heads: 64,
    plain_heads: true,
    rotated_share: 0.5,
    context_tokens: 16_384,
    activation: Activation::ReluSquared,
    ..Defaults::LLAMA
};

const NAMES: TensorNames = TensorNames {
    final_norm: "model.final_layernorm",
    layer: LayerNames {
        fused_input: Some(FusedInput {
            name: "self_attn.query_key_value",
            order: FusedOrder::Groups,
        }),
        output: "self_attn.dense",
        query_norm: "self_attn.q_layernorm",
        key_norm: "self_attn.k_layernorm",
        up: "mlp.dense_h_to_4h",
        down: "mlp.dense_4h_to_h",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads a Persimmon config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    let norm = NormSpec::layer(config.number_or("layer_norm_eps", 1e-5)?);
    spec.set_norms(norm);
    let query_key_norm =
        config.flag_or("qk_layernorm", true)?.then_some(QueryKeyNorm::of_heads(norm));
    for layer in &mut spec.layers {
        layer.attention.query_key_norm = query_key_norm;
        layer.attention.input_bias = true;
        layer.attention.output_bias = true;
        layer.feed_forward.bias = true;
        layer.feed_forward.gated = false;
    }
    Ok(Description { spec, names: NAMES })
}
