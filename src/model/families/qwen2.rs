//! Qwen 1.5, 2 and 2.5: Llama with biases on query, key and value.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, windows};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::DecoderSpec;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 151_936,
    feed_forward_size: 22_016,
    key_value_heads: Some(32),
    context_tokens: 32_768,
    ..Defaults::LLAMA
};

/// Reads a Qwen2 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    describe_with(config, &DEFAULTS)
}

/// As [`describe`], with another family's defaults.
pub(super) fn describe_with(
    config: &Config,
    defaults: &Defaults,
) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, defaults)?;
    apply_windows(config, &mut spec)?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = true;
    }
    Ok(Description { spec, names: names::LLAMA })
}

/// Gives layers their window where windows are on; without a list all layers from
/// `max_window_layers` on have one.
pub(super) fn apply_windows(config: &Config, spec: &mut DecoderSpec) -> Result<(), ModelError> {
    let Some(window) = windows::switched_on(config)? else { return Ok(()) };
    let config = &config.with("sliding_window", json!(window));
    if windows::apply_layer_types(config, spec)? {
        return Ok(());
    }
    let first = config.count_or_zero("max_window_layers", 28)?;
    for layer in spec.layers.iter_mut().skip(first) {
        layer.attention.window_tokens = Some(window);
    }
    Ok(())
}
