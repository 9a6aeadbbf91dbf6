//! Granite 3: Llama with factors on embeddings, scores, branches and logits.

use super::config::Config;
use super::{Description, llama};
use crate::model::error::ModelError;

/// Reads a Granite config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let Description { mut spec, names } = llama::describe(config)?;
    spec.embedding_scale = Some(config.number_or("embedding_multiplier", 1.0)?);
    spec.head.scale = match config.optional_number("logits_scaling")? {
        None => None,
        Some(_) => Some(config.positive("logits_scaling")?.recip()),
    };
    let score_scale = config.number_or("attention_multiplier", 1.0)?;
    let residual_scale = config.number_or("residual_multiplier", 1.0)?;
    for layer in &mut spec.layers {
        layer.attention.scale = score_scale;
        layer.residual_scale = Some(residual_scale);
    }
    Ok(Description { spec, names })
}
