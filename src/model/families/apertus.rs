//! Apertus: Llama with a norm on every query and key head, and a plain feed-forward of xIELU.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, rotary};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{Activation, QueryKeyNorm, Xielu};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 131_072,
    feed_forward_size: 14_336,
    activation: Activation::Xielu(Xielu::UNTRAINED),
    theta: 12_000_000.0,
    norm_epsilon: 1e-5,
    context_tokens: 65_536,
    ..Defaults::LLAMA
};

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        before_attention: "attention_layernorm",
        before_feed_forward: "feedforward_layernorm",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads an Apertus config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut config = rotary::filled(
        config,
        json!({
            "rope_type": "llama3", "rope_theta": 12e6, "factor": 8.0,
            "original_max_position_embeddings": 8192, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
        }),
    )?;
    // Only here are its parameters known to be stored.
    if config.text("hidden_act")? == Some("xielu") {
        config = config.without(&["hidden_act"]);
    }
    let mut spec = llama::base(&config, &DEFAULTS)?;
    let bias = config.flag_or("attention_bias", false)?;
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.attention.query_key_norm = Some(QueryKeyNorm::of_heads(norm));
        layer.feed_forward.gated = false;
    }
    Ok(Description { spec, names: NAMES })
}
