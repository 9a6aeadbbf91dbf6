//! Dense Ernie 4.5: Llama that rotates neighbours.

use super::config::Config;
use super::llama::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::RotaryPairing;

const DEFAULTS: Defaults = Defaults {
    head_size: Some(128),
    theta: 500_000.0,
    norm_epsilon: 1e-5,
    context_tokens: 131_072,
    tied: true,
    ..Defaults::LLAMA
};

/// Reads a dense Ernie 4.5 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    let bias = config.flag_or("use_bias", false)?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.feed_forward.bias = bias;
        if let Some(rotary) = &mut layer.attention.rotary {
            rotary.pairing = RotaryPairing::Neighbours;
        }
    }
    Ok(Description { spec, names: names::LLAMA })
}
