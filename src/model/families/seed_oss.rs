//! Seed-OSS: Llama with separate switches for the biases of attention.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 155_136,
    feed_forward_size: 27_648,
    layers: 64,
    heads: 80,
    key_value_heads: Some(8),
    head_size: Some(128),
    context_tokens: 524_288,
    ..Defaults::LLAMA
};

/// Reads a Seed-OSS config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    let input_bias = config.flag_or("attention_bias", true)?;
    let output_bias = config.flag_or("attention_out_bias", false)?;
    let feed_forward_bias = config.flag_or("mlp_bias", false)?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = input_bias;
        layer.attention.output_bias = output_bias;
        layer.feed_forward.bias = feed_forward_bias;
    }
    Ok(Description { spec, names: names::LLAMA })
}
