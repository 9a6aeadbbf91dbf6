//! Rotary positions as `config.json` describes them.
//!
//! Two spellings exist: `rope_theta` beside `rope_scaling` (transformers 4), and one object
//! `rope_parameters` that holds both (transformers 5).

use super::config::Config;
use super::llama::Defaults;
use crate::model::error::ModelError;
use crate::model::spec::{RotaryPairing, RotaryScaling, RotarySpec};

/// Reads the rotary positions of a model whose heads have `head_size` numbers.
pub(super) fn read(
    config: &Config,
    head_size: usize,
    defaults: &Defaults,
) -> Result<RotarySpec, ModelError> {
    let parameters = parameters(config)?;
    let number = |field: &str, default: f64| match &parameters {
        Some(parameters) if parameters.get(field).is_some() => parameters.number_or(field, default),
        _ => config.number_or(field, default),
    };
    let theta = number("rope_theta", defaults.theta)?;
    if theta <= 0.0 {
        return Err(config.expected("rope_theta", "a number above zero"));
    }
    let share = number("partial_rotary_factor", defaults.rotated_share)?;
    if !(share > 0.0 && share <= 1.0) {
        return Err(config.expected("partial_rotary_factor", "a share of a head, above 0 up to 1"));
    }
    let rotated_size = (head_size as f64 * share) as usize;
    if rotated_size == 0 || !rotated_size.is_multiple_of(2) {
        return Err(config.expected("head_dim", "such that an even part of a head is rotated"));
    }
    let scaling = match parameters {
        None => RotaryScaling::None,
        Some(parameters) => scaling(config, &parameters, defaults)?,
    };
    if matches!(scaling, RotaryScaling::Yarn { .. }) && theta <= 1.0 {
        return Err(config.expected("rope_theta", "a number above one"));
    }
    Ok(RotarySpec { rotated_size, theta, pairing: RotaryPairing::Halves, scaling })
}

/// The object that says how positions are rotated, in either spelling; none where it is empty.
pub(super) fn parameters(config: &Config) -> Result<Option<Config>, ModelError> {
    for field in ["rope_scaling", "rope_parameters"] {
        if let Some(parameters) = config.object(field)?.filter(|object| !object.is_empty()) {
            return Ok(Some(parameters));
        }
    }
    Ok(None)
}

fn scaling(
    config: &Config,
    parameters: &Config,
    defaults: &Defaults,
) -> Result<RotaryScaling, ModelError> {
    let field = if parameters.get("rope_type").is_some() { "rope_type" } else { "type" };
    match parameters.text(field)? {
        // The frequencies of `dynamic` only change beyond `max_position_embeddings`, and no longer
        // sequence is computed.
        None | Some("default" | "dynamic") => Ok(RotaryScaling::None),
        Some("linear") => Ok(RotaryScaling::Linear { factor: parameters.positive("factor")? }),
        Some("llama3") => Ok(RotaryScaling::Llama3 {
            factor: parameters.positive("factor")?,
            low_frequency_factor: parameters.positive("low_freq_factor")?,
            high_frequency_factor: parameters.positive("high_freq_factor")?,
            original_context_tokens: original_context(config, parameters, defaults)?,
        }),
        Some("yarn") => yarn(config, parameters, defaults),
        Some(_) => Err(parameters.unsupported(field)),
    }
}

/// The context before it was stretched, which some configs give beside the object.
fn original_context(
    config: &Config,
    parameters: &Config,
    defaults: &Defaults,
) -> Result<f64, ModelError> {
    const FIELD: &str = "original_max_position_embeddings";
    if config.get(FIELD).is_some() {
        return config.positive(FIELD);
    }
    if parameters.get(FIELD).is_some() {
        return parameters.positive(FIELD);
    }
    Ok(config.count_or("max_position_embeddings", defaults.context_tokens)? as f64)
}

fn yarn(
    config: &Config,
    parameters: &Config,
    defaults: &Defaults,
) -> Result<RotaryScaling, ModelError> {
    let original_context_tokens = original_context(config, parameters, defaults)?;
    let factor = if parameters.get("factor").is_some() {
        parameters.positive("factor")?
    } else {
        let context_tokens =
            config.count_or("max_position_embeddings", defaults.context_tokens)? as f64;
        context_tokens / original_context_tokens
    };
    // A zero counts as absent here.
    let number = |field: &str| -> Result<Option<f64>, ModelError> {
        Ok(parameters.optional_number(field)?.filter(|number| *number != 0.0))
    };
    let amplitude = match parameters.optional_number("attention_factor")? {
        Some(amplitude) => amplitude,
        None => match (number("mscale")?, number("mscale_all_dim")?) {
            (Some(mscale), Some(all)) => yarn_scale(factor, mscale) / yarn_scale(factor, all),
            _ => yarn_scale(factor, 1.0),
        },
    };
    Ok(RotaryScaling::Yarn {
        factor,
        fast_turns: number("beta_fast")?.unwrap_or(32.0),
        slow_turns: number("beta_slow")?.unwrap_or(1.0),
        original_context_tokens,
        whole_pairs: parameters.flag_or("truncate", true)?,
        amplitude,
    })
}

/// How much attention is sharpened for a context that became `factor` times as long: 0.1 · `mscale`
/// · ln `factor` + 1 (Peng et al. 2023, eq. 22).
pub(super) fn yarn_scale(factor: f64, mscale: f64) -> f64 {
    if factor <= 1.0 { 1.0 } else { 0.1 * mscale * factor.ln() + 1.0 }
}
