//! GLM 4.1 V: the language model, a GLM 4, of a model that can also see.
//!
//! Its positions have three parts, as in Qwen 2 VL.

use super::config::Config;
use super::{Description, glm4, multimodal};
use crate::model::error::ModelError;

/// Reads a GLM 4.1 V config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let text = multimodal::text_config(config, false)?;
    let mut description = glm4::describe_beside_vision(&text)?;
    multimodal::apply_axes(&text, &mut description.spec, [8, 12, 12], false)?;
    Ok(multimodal::beside_towers(description))
}
