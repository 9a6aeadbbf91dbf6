//! Mistral: Llama with an optional window on every layer.

use super::config::Config;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names;

/// Reads a Mistral config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config)?;
    spec.context_tokens = config.count_or("max_position_embeddings", 131_072)?;
    let window_tokens = config.optional_count("sliding_window")?;
    for layer in &mut spec.layers {
        layer.attention.window_tokens = window_tokens;
    }
    Ok(Description { spec, names: names::LLAMA })
}
