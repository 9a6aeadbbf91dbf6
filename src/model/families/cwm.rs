//! Code World Model: Llama 3 in which three of four layers see a window.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, rotary, windows};
use crate::model::error::ModelError;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 128_256,
    hidden_size: 6144,
    feed_forward_size: 21_504,
    layers: 64,
    heads: 48,
    key_value_heads: Some(8),
    head_size: Some(128),
    theta: 1_000_000.0,
    norm_epsilon: 1e-5,
    context_tokens: 131_072,
    ..Defaults::LLAMA
};

/// The first layer and every fourth after it see everything, where the config does not list them.
const INTERVAL: usize = 4;

/// Reads a CWM config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut config =
        config.filled([("sliding_window", json!(8192))]).without(&["attention_bias", "mlp_bias"]);
    if rotary::parameters(&config)?.is_none() {
        config = config.with(
            "rope_parameters",
            json!({
                "rope_type": "llama3", "rope_theta": 1e6, "factor": 16.0, "low_freq_factor": 1.0,
                "high_freq_factor": 4.0, "original_max_position_embeddings": 8192,
            }),
        );
    }
    let mut description = llama::describe_with(&config, &DEFAULTS)?;
    let spec = &mut description.spec;
    if !windows::apply_layer_types(&config, spec)? {
        let window_tokens = config.optional_count("sliding_window")?;
        for (number, layer) in spec.layers.iter_mut().enumerate() {
            if number % INTERVAL != 0 {
                layer.attention.window_tokens = window_tokens;
            }
        }
    }
    Ok(description)
}
