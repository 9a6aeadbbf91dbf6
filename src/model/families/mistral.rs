//! Mistral: Llama with an optional window on every layer.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names;

const DEFAULTS: Defaults = Defaults {
    feed_forward_size: 14_336,
    key_value_heads: Some(8),
    context_tokens: 131_072,
    ..Defaults::LLAMA
};

/// Reads a Mistral config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    // A window of null means none.
    let config = &config.filled([("sliding_window", json!(4096))]);
    let mut spec = llama::base(config, &DEFAULTS)?;
    let window_tokens = config.optional_count("sliding_window")?;
    for layer in &mut spec.layers {
        layer.attention.window_tokens = window_tokens;
    }
    Ok(Description { spec, names: names::LLAMA })
}
