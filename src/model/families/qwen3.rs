//! Qwen 3: Qwen 2 with a norm on every query and key head instead of biases.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, qwen2};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::QueryKeyNorm;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 151_936,
    feed_forward_size: 22_016,
    key_value_heads: Some(32),
    head_size: Some(128),
    context_tokens: 32_768,
    ..Defaults::LLAMA
};

/// Reads a Qwen3 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    describe_with(config, &DEFAULTS)
}

/// As [`describe`], with another family's defaults.
pub(super) fn describe_with(
    config: &Config,
    defaults: &Defaults,
) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, defaults)?;
    qwen2::apply_windows(config, &mut spec)?;
    let bias = config.flag_or("attention_bias", false)?;
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.attention.query_key_norm = Some(QueryKeyNorm::of_heads(norm));
    }
    Ok(Description { spec, names: names::LLAMA })
}
