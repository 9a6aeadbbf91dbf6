//! Rotary positions as `config.json` describes them.
//!
//! Two spellings exist: `rope_theta` beside `rope_scaling` (transformers 4), and one object
//! `rope_parameters` that holds both (transformers 5).

use super::config::Config;
use crate::model::error::ModelError;
use crate::model::spec::{RotaryPairing, RotaryScaling, RotarySpec};

/// Base of the frequencies where the config does not give it.
const DEFAULT_THETA: f64 = 10_000.0;

/// Reads the rotary positions of a model whose heads have `head_size` numbers, of which
/// `default_share` is rotated unless the config says otherwise.
pub(super) fn read(
    config: &Config,
    head_size: usize,
    default_share: f64,
) -> Result<RotarySpec, ModelError> {
    let parameters = match config.object("rope_parameters")? {
        Some(parameters) => Some(parameters),
        None => config.object("rope_scaling")?,
    };
    let number = |field: &str, default: f64| match &parameters {
        Some(parameters) if parameters.get(field).is_some() => parameters.number_or(field, default),
        _ => config.number_or(field, default),
    };
    let theta = number("rope_theta", DEFAULT_THETA)?;
    if theta <= 0.0 {
        return Err(config.expected("rope_theta", "a number above zero"));
    }
    let share = number("partial_rotary_factor", default_share)?;
    if !(share > 0.0 && share <= 1.0) {
        return Err(config.expected("partial_rotary_factor", "a share of a head, above 0 up to 1"));
    }
    let rotated_size = (head_size as f64 * share) as usize;
    if rotated_size == 0 || !rotated_size.is_multiple_of(2) {
        return Err(config.expected("head_dim", "such that an even part of a head is rotated"));
    }
    let scaling = match parameters {
        None => RotaryScaling::None,
        Some(parameters) => scaling(&parameters)?,
    };
    Ok(RotarySpec { rotated_size, theta, pairing: RotaryPairing::Halves, scaling })
}

fn scaling(parameters: &Config) -> Result<RotaryScaling, ModelError> {
    let field = if parameters.get("rope_type").is_some() { "rope_type" } else { "type" };
    match parameters.text(field)? {
        None | Some("default") => Ok(RotaryScaling::None),
        Some("linear") => Ok(RotaryScaling::Linear { factor: parameters.positive("factor")? }),
        Some("llama3") => Ok(RotaryScaling::Llama3 {
            factor: parameters.positive("factor")?,
            low_frequency_factor: parameters.positive("low_freq_factor")?,
            high_frequency_factor: parameters.positive("high_freq_factor")?,
            original_context_tokens: parameters.positive("original_max_position_embeddings")?,
        }),
        Some(_) => Err(parameters.unsupported(field)),
    }
}
