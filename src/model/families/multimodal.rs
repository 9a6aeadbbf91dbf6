//! Checkpoints of models that can also see: of them the language model is read.
//!
//! Text alone is computed by the language model alone: towers and projectors are stored and have no say.

use serde_json::json;

use super::Description;
use super::config::Config;
use crate::model::error::ModelError;
use crate::model::names::TensorNames;

/// Parts of the names of what sees.
const TOWERS: &[&str] = &["vision_tower.", "multi_modal_projector.", "visual."];

/// The config of the language model. Whether its head is its embedding is said beside it, or else is
/// `tied`.
pub(super) fn text_config(config: &Config, tied: bool) -> Result<Config, ModelError> {
    let Some(text) = config.object("text_config")? else {
        return Err(config.expected("text_config", "the config of the language model"));
    };
    Ok(text.with("tie_word_embeddings", json!(config.flag_or("tie_word_embeddings", tied)?)))
}

/// The same language model in a checkpoint that can also see.
pub(super) fn beside_towers(text: Description) -> Description {
    Description { names: TensorNames { ignored: TOWERS, ..text.names }, ..text }
}
