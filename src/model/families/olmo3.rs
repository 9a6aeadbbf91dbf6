//! `OLMo` 3: `OLMo` 2 in which three of four layers see a window.

use serde_json::json;

use super::config::Config;
use super::rotary::Base;
use super::{Description, olmo2, rotary, windows};
use crate::model::error::ModelError;

/// Every which layer sees everything, where the config does not list them.
const DEFAULT_INTERVAL: usize = 4;

const FULL: Base = Base { field: Some("rope_theta"), default: 500_000.0 };
/// Transformers reads `rope_theta` for the layers that see everything alone.
const SLIDING: Base = Base { field: None, ..FULL };

/// Reads an `OLMo` 3 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.filled([("sliding_window", json!(4096))]);
    let Description { mut spec, names } = olmo2::describe(config)?;
    windows::apply_interval(config, &mut spec, DEFAULT_INTERVAL)?;
    rotary::apply_layer_types(config, &mut spec, FULL, SLIDING)?;
    Ok(Description { spec, names })
}
