//! Ministral: Mistral whose windows are listed layer by layer.

use serde_json::json;

use super::config::Config;
use super::{Description, mistral, windows};
use crate::model::error::ModelError;

/// Reads a Ministral config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = config.filled([("sliding_window", json!(4096))]);
    let mut description = mistral::describe(&config)?;
    windows::apply_layer_types(&config, &mut description.spec)?;
    Ok(description)
}
