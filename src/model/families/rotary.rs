//! Rotary positions as `config.json` describes them.
//!
//! Two spellings exist: `rope_theta` beside `rope_scaling` (transformers 4), and one object
//! `rope_parameters` that holds both (transformers 5).

use serde_json::Value;

use super::config::Config;
use super::defaults::Defaults;
use crate::model::error::ModelError;
use crate::model::spec::{AttentionSpec, DecoderSpec, RotaryPairing, RotaryScaling, RotarySpec};

/// The layers that see everything.
const FULL: &str = "full_attention";
/// The layers that see a window.
const SLIDING: &str = "sliding_attention";
/// The context before it was stretched.
const ORIGINAL_CONTEXT: &str = "original_max_position_embeddings";

/// Reads the rotary positions of a model whose heads have `head_size` numbers.
pub(super) fn read(
    config: &Config,
    head_size: usize,
    defaults: &Defaults,
) -> Result<RotarySpec, ModelError> {
    let base = Base { field: Some("rope_theta"), default: defaults.theta };
    read_parameters(config, parameters(config)?.as_ref(), head_size, defaults, base)
}

/// Where the base of the frequencies is, unless it stands with the other parameters.
#[derive(Clone, Copy)]
pub(super) struct Base {
    /// The config's field, if it has one.
    pub(super) field: Option<&'static str>,
    /// Its default.
    pub(super) default: f64,
}

/// Gives layers the rotary positions of their type: those with a window have a base of their own.
///
/// In the older spelling, `rope_scaling` is meant for layers that see everything.
pub(super) fn apply_layer_types(
    config: &Config,
    spec: &mut DecoderSpec,
    full: Base,
    sliding: Base,
) -> Result<(), ModelError> {
    let Some(head_size) = spec.layers.first().map(|layer| layer.attention.head_size) else {
        return Ok(());
    };
    let full = read_layer_type(config, FULL, head_size, full)?;
    let sliding = read_layer_type(config, SLIDING, head_size, sliding)?;
    for AttentionSpec { rotary, window_tokens, .. } in
        spec.layers.iter_mut().map(|layer| &mut layer.attention)
    {
        *rotary = Some(if window_tokens.is_some() { sliding.clone() } else { full.clone() });
    }
    Ok(())
}

fn read_layer_type(
    config: &Config,
    layer_type: &str,
    head_size: usize,
    base: Base,
) -> Result<RotarySpec, ModelError> {
    // Transformers looks for `truncate` beside the layer types, where it never is.
    let without_truncate = |parameters: Config| parameters.without(&["truncate"]);
    let parameters = match config.object("rope_parameters")? {
        Some(types) if !types.only_has(&[FULL, SLIDING]) => {
            return Err(config.expected("rope_parameters", "an object for each layer type"));
        }
        Some(types) => types.object(layer_type)?,
        None if layer_type == FULL => config.object("rope_scaling")?,
        None => None,
    };
    let parameters = parameters.map(without_truncate);
    read_parameters(config, parameters.as_ref(), head_size, &Defaults::LLAMA, base)
}

fn read_parameters(
    config: &Config,
    parameters: Option<&Config>,
    head_size: usize,
    defaults: &Defaults,
    base: Base,
) -> Result<RotarySpec, ModelError> {
    let number = |inner: &str, outer: Option<&str>, default: f64| match (parameters, outer) {
        (Some(parameters), _) if parameters.get(inner).is_some() => {
            parameters.number_or(inner, default)
        }
        (_, Some(outer)) => config.number_or(outer, default),
        (_, None) => Ok(default),
    };
    let theta = number("rope_theta", base.field, base.default)?;
    let theta_field = base.field.unwrap_or("rope_theta");
    if theta <= 0.0 {
        return Err(config.expected(theta_field, "a number above zero"));
    }
    let share =
        number("partial_rotary_factor", Some("partial_rotary_factor"), defaults.rotated_share)?;
    if !(share > 0.0 && share <= 1.0) {
        return Err(config.expected("partial_rotary_factor", "a share of a head, above 0 up to 1"));
    }
    let rotated_size = (head_size as f64 * share) as usize;
    if rotated_size == 0 || !rotated_size.is_multiple_of(2) {
        return Err(config.expected("head_dim", "such that an even part of a head is rotated"));
    }
    let scaling = match parameters {
        None => RotaryScaling::None,
        Some(parameters) => scaling(config, parameters, defaults, rotated_size / 2)?,
    };
    if matches!(scaling, RotaryScaling::Yarn { .. }) && theta <= 1.0 {
        return Err(config.expected(theta_field, "a number above one"));
    }
    let pair_axes = Vec::new();
    Ok(RotarySpec { rotated_size, theta, pairing: RotaryPairing::Halves, scaling, pair_axes })
}

/// The same config, with `parameters` where it says nothing of how positions are rotated.
pub(super) fn filled(config: &Config, parameters: Value) -> Result<Config, ModelError> {
    // The base alone does not count.
    match self::parameters(config)? {
        None => Ok(config.with("rope_parameters", parameters)),
        Some(_) => Ok(config.clone()),
    }
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
    pairs: usize,
) -> Result<RotaryScaling, ModelError> {
    let field = if parameters.get("rope_type").is_some() { "rope_type" } else { "type" };
    match parameters.text(field)? {
        None | Some("default") => Ok(RotaryScaling::None),
        Some("dynamic") => Ok(RotaryScaling::Dynamic),
        Some("linear") => Ok(RotaryScaling::Linear {
            factor: parameters.positive("factor")?,
            original_context_tokens: original_context(config, parameters, defaults)?,
        }),
        Some("llama3") => Ok(RotaryScaling::Llama3 {
            factor: parameters.positive("factor")?,
            low_frequency_factor: parameters.positive("low_freq_factor")?,
            high_frequency_factor: parameters.positive("high_freq_factor")?,
            original_context_tokens: original_context(config, parameters, defaults)?,
        }),
        Some("longrope") => long_rope(config, parameters, pairs),
        Some("yarn") => yarn(config, parameters, defaults),
        Some(_) => Err(parameters.unsupported(field)),
    }
}

/// As transformers reads it: the context before it was stretched stands beside the parameters or
/// among them, and how far it was stretched follows from both contexts unless it is given.
fn long_rope(
    config: &Config,
    parameters: &Config,
    pairs: usize,
) -> Result<RotaryScaling, ModelError> {
    let context_tokens = config.count("max_position_embeddings")?;
    let original_context_tokens = match config.optional_count(ORIGINAL_CONTEXT)? {
        Some(tokens) => tokens,
        None => parameters.count_or(ORIGINAL_CONTEXT, context_tokens)?,
    };
    let original = original_context_tokens as f64;
    let factor = parameters.number_or("factor", context_tokens as f64 / original)?;
    let amplitude = if factor <= 1.0 { 1.0 } else { (1.0 + factor.ln() / original.ln()).sqrt() };
    let factors = |field: &str| match parameters.numbers(field)? {
        Some(factors) if factors.len() == pairs && factors.iter().all(|&factor| factor > 0.0) => {
            Ok(factors)
        }
        _ => Err(parameters.expected(field, "a number above zero for each rotated pair")),
    };
    Ok(RotaryScaling::LongRope {
        short_factors: factors("short_factor")?.into(),
        long_factors: factors("long_factor")?.into(),
        original_context_tokens,
        amplitude: parameters.number_or("attention_factor", amplitude)?,
    })
}

/// The context before it was stretched, which some configs give beside the object.
fn original_context(
    config: &Config,
    parameters: &Config,
    defaults: &Defaults,
) -> Result<f64, ModelError> {
    if config.get(ORIGINAL_CONTEXT).is_some() {
        return config.positive(ORIGINAL_CONTEXT);
    }
    if parameters.get(ORIGINAL_CONTEXT).is_some() {
        return parameters.positive(ORIGINAL_CONTEXT);
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
