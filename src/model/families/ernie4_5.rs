//! Dense Ernie 4.5: Llama that rotates neighbours.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::{DecoderSpec, RotaryPairing};

pub(super) const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 103_424,
    hidden_size: 1024,
    feed_forward_size: 3072,
    layers: 18,
    heads: 16,
    key_value_heads: Some(2),
    head_size: Some(128),
    theta: 500_000.0,
    norm_epsilon: 1e-5,
    context_tokens: 131_072,
    tied: true,
    ..Defaults::LLAMA
};

/// Reads a dense Ernie 4.5 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    Ok(Description { spec: base(config, &DEFAULTS)?, names: names::LLAMA })
}

/// What models with and without experts share.
pub(super) fn base(config: &Config, defaults: &Defaults) -> Result<DecoderSpec, ModelError> {
    let mut spec = llama::base(config, defaults)?;
    let bias = config.flag_or("use_bias", false)?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.feed_forward.bias = bias;
        if let Some(rotary) = &mut layer.attention.rotary {
            rotary.pairing = RotaryPairing::Neighbours;
        }
    }
    Ok(spec)
}
