//! Qwen 3 VL: the language model, a Qwen 3, of a model that can also see.
//!
//! In text its positions are those of Qwen 3, as in Qwen 2 VL, and nothing is added behind the first
//! layers.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, multimodal, qwen3};
use crate::model::error::ModelError;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 151_936,
    feed_forward_size: 22_016,
    key_value_heads: Some(32),
    head_size: Some(128),
    theta: 500_000.0,
    context_tokens: 128_000,
    ..Defaults::LLAMA
};

/// Reads a Qwen3-VL config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let text = multimodal::text_config(config, false)?;
    let mut description = qwen3::describe_with(&text, &DEFAULTS)?;
    multimodal::apply_axes(&text, &mut description.spec, [24, 20, 20], true)?;
    Ok(multimodal::beside_towers(description))
}
