//! `SmolLM` 3: Llama in which some layers see no positions.

use serde_json::Value;

use super::config::Config;
use super::llama::Defaults;
use super::{Description, llama, qwen2};
use crate::model::error::ModelError;

/// Every which layer sees no positions where the config does not list them.
const DEFAULT_INTERVAL: usize = 4;

const DEFAULTS: Defaults =
    Defaults { theta: 2_000_000.0, context_tokens: 32_768, ..Defaults::LLAMA };

/// Reads a `SmolLM3` config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let Description { mut spec, names } = llama::describe_with(config, &DEFAULTS)?;
    qwen2::apply_windows(config, &mut spec)?;
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
        }
    }
    Ok(Description { spec, names })
}
