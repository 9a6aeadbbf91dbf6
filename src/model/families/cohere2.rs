//! Command R7B and A: Command R in which three of four layers see a window, and the others no positions.

use serde_json::json;

use super::config::Config;
use super::{Description, cohere, windows};
use crate::model::error::ModelError;

/// Every which layer sees everything, where the config does not say.
const DEFAULT_INTERVAL: usize = 4;

/// Reads a Cohere 2 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.filled([("sliding_window", json!(4096)), ("rope_theta", json!(10_000.0))]);
    let mut description = cohere::describe(&config.without(&["use_qk_norm", "head_dim"]))?;
    let interval = config.count_or("sliding_window_pattern", DEFAULT_INTERVAL)?;
    windows::apply_interval(config, &mut description.spec, interval)?;
    windows::rotate_only_windows(&mut description.spec);
    Ok(description)
}
