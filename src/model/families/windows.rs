//! Which layers see only a window of the context.

use super::config::Config;
use crate::model::error::ModelError;
use crate::model::spec::DecoderSpec;

/// The type of layers that see a window.
const SLIDING: &str = "sliding_attention";

/// The window of a config that has `use_sliding_window`, where that is on.
///
/// `sliding_window` is written even where it is off; a layer that is listed with a window then is a
/// contradiction.
pub(super) fn switched_on(config: &Config) -> Result<Option<usize>, ModelError> {
    if config.flag_or("use_sliding_window", false)? && !config.is_null("sliding_window") {
        return Ok(Some(config.count_or("sliding_window", 4096)?));
    }
    match config.texts("layer_types")? {
        Some(types) if types.contains(&SLIDING) => Err(config.unsupported("layer_types")),
        _ => Ok(None),
    }
}

/// Applies `layer_types`, if the config has it, and reports whether it has.
///
/// Layers of type `sliding_attention` get the window of `sliding_window`.
pub(super) fn apply_layer_types(
    config: &Config,
    spec: &mut DecoderSpec,
) -> Result<bool, ModelError> {
    let Some(types) = config.texts("layer_types")? else { return Ok(false) };
    if types.len() != spec.layers.len() {
        return Err(config.expected("layer_types", "one entry per layer"));
    }
    for (layer, kind) in spec.layers.iter_mut().zip(types) {
        layer.attention.window_tokens = match kind {
            "full_attention" => None,
            SLIDING => Some(config.count("sliding_window")?),
            _ => return Err(config.unsupported("layer_types")),
        };
    }
    Ok(true)
}

/// Applies `layer_types`; without it every `interval`-th layer sees all, and the others the window of
/// `sliding_window`.
pub(super) fn apply_interval(
    config: &Config,
    spec: &mut DecoderSpec,
    interval: usize,
) -> Result<(), ModelError> {
    if apply_layer_types(config, spec)? {
        return Ok(());
    }
    let window = config.count("sliding_window")?;
    for (number, layer) in spec.layers.iter_mut().enumerate() {
        let sees_all = (number + 1).is_multiple_of(interval);
        layer.attention.window_tokens = (!sees_all).then_some(window);
    }
    Ok(())
}

/// Takes the positions from layers that see everything.
pub(super) fn rotate_only_windows(spec: &mut DecoderSpec) {
    for layer in &mut spec.layers {
        if layer.attention.window_tokens.is_none() {
            layer.attention.rotary = None;
        }
    }
}
