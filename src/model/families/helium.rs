//! Helium: Llama that rotates neighbours.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::spec::RotaryPairing;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 48_000,
    hidden_size: 2560,
    feed_forward_size: 7040,
    layers: 24,
    heads: 20,
    key_value_heads: Some(20),
    head_size: Some(128),
    theta: 100_000.0,
    norm_epsilon: 1e-8,
    context_tokens: 4096,
    ..Defaults::LLAMA
};

/// Reads a Helium config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut description = llama::describe_with(config, &DEFAULTS)?;
    for layer in &mut description.spec.layers {
        layer.attention.output_bias = false;
        if let Some(rotary) = &mut layer.attention.rotary {
            rotary.pairing = RotaryPairing::Neighbours;
        }
    }
    Ok(description)
}
