//! Qwen 1.5, 2 and 2.5: Llama with biases on query, key and value.

use super::config::Config;
use super::llama::Defaults;
use super::{Description, llama, windows};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::DecoderSpec;

const DEFAULTS: Defaults = Defaults { context_tokens: 32_768, ..Defaults::LLAMA };

/// Reads a Qwen2 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    apply_windows(config, &mut spec)?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = true;
    }
    Ok(Description { spec, names: names::LLAMA })
}

/// Gives layers their window where `use_sliding_window` is on; `sliding_window` is written even
/// where it is off.
pub(super) fn apply_windows(config: &Config, spec: &mut DecoderSpec) -> Result<(), ModelError> {
    if !config.flag_or("use_sliding_window", false)? || windows::apply_layer_types(config, spec)? {
        return Ok(());
    }
    let window = config.count_or("sliding_window", 4096)?;
    let first = config.count_or("max_window_layers", 28)?;
    for layer in spec.layers.iter_mut().skip(first) {
        layer.attention.window_tokens = Some(window);
    }
    Ok(())
}
