//! GLM 4: neighbours of half a head are rotated; norms on both sides of each branch, but in the first
//! release only before it.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{LayerNorms, RotaryPairing};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 151_552,
    feed_forward_size: 13_696,
    layers: 40,
    key_value_heads: Some(2),
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

/// Those of the language model of GLM 4.1 V, whose config has no field for the biases of attention.
const VISION_DEFAULTS: Defaults = Defaults {
    head_size: None,
    rotated_share: 1.0,
    norm_epsilon: 1e-5,
    context_tokens: 32_768,
    ..DEFAULTS
};

/// Reads a GLM 4 config of the first release (2024), which has norms before the branches alone.
pub(super) fn describe_first(config: &Config) -> Result<Description, ModelError> {
    describe_with(config, &DEFAULTS, config.flag_or("attention_bias", true)?)
}

/// The same with another family's defaults.
fn describe_with(
    config: &Config,
    defaults: &Defaults,
    bias: bool,
) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, defaults)?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = bias;
        if let Some(rotary) = &mut layer.attention.rotary {
            rotary.pairing = RotaryPairing::Neighbours;
        }
    }
    Ok(Description { spec, names: NAMES })
}

/// Reads a GLM 4 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    Ok(with_norms_around(describe_first(config)?))
}

/// Reads the config of the language model of GLM 4.1 V.
pub(super) fn describe_beside_vision(config: &Config) -> Result<Description, ModelError> {
    Ok(with_norms_around(describe_with(config, &VISION_DEFAULTS, true)?))
}

fn with_norms_around(mut description: Description) -> Description {
    let norm = description.spec.final_norm;
    for layer in &mut description.spec.layers {
        layer.norms = LayerNorms::around(norm);
    }
    description
}
