//! Dense Ernie 4.5: Llama that rotates neighbours.

use super::config::Config;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::RotaryPairing;

/// Width of a head where the config does not give it.
const DEFAULT_HEAD_SIZE: usize = 128;

/// Reads a dense Ernie 4.5 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base_with_heads_of(config, Some(DEFAULT_HEAD_SIZE))?;
    spec.context_tokens = config.count_or("max_position_embeddings", 131_072)?;
    spec.head.tied = config.flag_or("tie_word_embeddings", true)?;
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
