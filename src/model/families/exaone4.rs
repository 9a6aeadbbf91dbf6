//! EXAONE 4: norms on what a branch adds and on every query and key head; where some layers have a
//! window, those without one see no positions.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, olmo2, windows};
use crate::model::error::ModelError;
use crate::model::spec::{LayerNorms, QueryKeyNorm};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 102_400,
    feed_forward_size: 16_384,
    key_value_heads: Some(32),
    norm_epsilon: 1e-5,
    ..Defaults::LLAMA
};

/// Reads an EXAONE 4 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config =
        &config.filled([("sliding_window", json!(4096)), ("sliding_window_pattern", json!(4))]);
    let mut spec = llama::base(config, &DEFAULTS)?;
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        layer.norms = LayerNorms::after(norm);
        layer.attention.query_key_norm = Some(QueryKeyNorm::of_heads(norm));
    }
    if config.get("sliding_window").is_some() {
        // The pattern may be a text beside a list of types.
        let interval = match config.get("layer_types") {
            Some(_) => 1,
            None => config.count("sliding_window_pattern")?,
        };
        windows::apply_interval(config, &mut spec, interval)?;
        windows::rotate_only_windows(&mut spec);
    }
    Ok(Description { spec, names: olmo2::NAMES })
}
