//! Mistral 3: the language model, of Mistral or of Ministral 3, of a model that can also see.

use super::config::Config;
use super::{Description, ministral3, mistral, multimodal};
use crate::model::error::ModelError;

/// Reads a Mistral 3 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let text = multimodal::text_config(config, true)?;
    let description = match text.text("model_type")? {
        None | Some("mistral") => mistral::describe(&text)?,
        Some("ministral3") => ministral3::describe(&text)?,
        Some(_) => return Err(text.unsupported("model_type")),
    };
    Ok(multimodal::beside_towers(description))
}
