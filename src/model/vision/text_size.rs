//! How wide the rows are that a decoder reads.

use crate::model::error::ModelError;
use crate::model::families::{Config, FAMILIES};

/// The hidden size of the decoder that `text_config` describes; where it is not said, that of its family.
///
/// LLaVA 1.5 does not say it.
pub(super) fn text_size(config: &Config) -> Result<usize, ModelError> {
    let Some(text) = config.object("text_config")? else {
        return Err(config.expected("text_config", "the config of the language model"));
    };
    if let Some(size) = text.optional_count("hidden_size")? {
        return Ok(size);
    }
    let family = text.text("model_type")?.and_then(|name| FAMILIES.find(name));
    match family {
        Some(family) => Ok((family.value)(&text)?.spec.hidden_size),
        None => Err(text.expected("hidden_size", "a positive whole number")),
    }
}
