//! GLM 4: norms on both sides of each branch, neighbours of half a head are rotated.

use serde_json::json;

use super::config::Config;
use super::llama::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{LayerNorms, RotaryPairing};

const DEFAULTS: Defaults = Defaults {
    head_size: Some(128),
    rotated_share: 0.5,
    norm_epsilon: 1.5625e-7,
    context_tokens: 131_072,
    ..Defaults::LLAMA
};

const NAMES: TensorNames = TensorNames {
    layer: LayerNames { fused_gate_up: Some("mlp.gate_up_proj"), ..names::LLAMA.layer },
    ..names::LLAMA
};

/// Reads a GLM 4 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.filled([("num_key_value_heads", json!(2))]);
    let mut spec = llama::base(config, &DEFAULTS)?;
    let bias = config.flag_or("attention_bias", true)?;
    let norm = Some(spec.final_norm);
    for layer in &mut spec.layers {
        layer.norms = LayerNorms {
            before_attention: norm,
            after_attention: norm,
            before_feed_forward: norm,
            after_feed_forward: norm,
        };
        layer.attention.input_bias = bias;
        if let Some(rotary) = &mut layer.attention.rotary {
            rotary.pairing = RotaryPairing::Neighbours;
        }
    }
    Ok(Description { spec, names: NAMES })
}
