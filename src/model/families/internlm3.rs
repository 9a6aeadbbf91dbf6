//! `InternLM` 3: Llama with other names for its biases.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;

/// The family's names of fields, and the usual ones.
const FIELDS: &[(&str, &str)] = &[("qkv_bias", "attention_bias"), ("bias", "mlp_bias")];

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 128_512,
    feed_forward_size: 10_240,
    layers: 48,
    key_value_heads: Some(2),
    head_size: Some(128),
    norm_epsilon: 1e-5,
    context_tokens: 32_768,
    ..Defaults::LLAMA
};

/// Reads an `InternLM` 3 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.renamed(FIELDS);
    // Transformers knows one switch for all biases.
    if config.flag_or("attention_bias", false)? != config.flag_or("mlp_bias", false)? {
        return Err(config.unsupported("mlp_bias"));
    }
    llama::describe_with(config, &DEFAULTS)
}
