//! `SmolLM` 3: Llama in which some layers see no positions, and may have a window instead.

use serde_json::Value;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, windows};
use crate::model::error::ModelError;

/// Every which layer sees no positions where the config does not list them.
const DEFAULT_INTERVAL: usize = 4;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 128_256,
    hidden_size: 2048,
    layers: 36,
    heads: 16,
    key_value_heads: Some(4),
    theta: 2_000_000.0,
    context_tokens: 32_768,
    tied: true,
    ..Defaults::LLAMA
};

/// Reads a `SmolLM3` config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let Description { mut spec, names } = llama::describe_with(config, &DEFAULTS)?;
    // A window is none unless it is given.
    let window_tokens = windows::switched_on(&config.filled([("sliding_window", Value::Null)]))?;
    let listed_windows = window_tokens.is_some() && windows::apply_layer_types(config, &mut spec)?;
    let interval = config.count_or("no_rope_layer_interval", DEFAULT_INTERVAL)?;
    let listed = match config.get("no_rope_layers") {
        None => None,
        Some(Value::Array(flags)) if flags.len() == spec.layers.len() => Some(flags),
        Some(_) => return Err(config.expected("no_rope_layers", "one 0 or 1 per layer")),
    };
    for (number, layer) in spec.layers.iter_mut().enumerate() {
        // Despite its name the list has a 1 for every layer that is rotated.
        let rotated = match listed.and_then(|flags| flags.get(number)).map(Value::as_u64) {
            None => (number + 1) % interval != 0,
            Some(Some(flag @ 0..=1)) => flag == 1,
            Some(_) => return Err(config.expected("no_rope_layers", "one 0 or 1 per layer")),
        };
        if !rotated {
            layer.attention.rotary = None;
            if !listed_windows {
                layer.attention.window_tokens = window_tokens;
            }
        }
    }
    Ok(Description { spec, names })
}
