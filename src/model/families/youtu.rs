//! Youtu: `DeepSeek` 3's attention with a single network in every layer.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, deepseek};
use crate::model::error::ModelError;
use crate::model::names;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 128_256,
    hidden_size: 2048,
    feed_forward_size: 6144,
    heads: 16,
    key_value_heads: Some(16),
    context_tokens: 131_072,
    tied: true,
    ..Defaults::LLAMA
};

/// Reads a Youtu config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    Ok(Description { spec: deepseek::base_3(config, &DEFAULTS)?, names: names::LLAMA })
}
