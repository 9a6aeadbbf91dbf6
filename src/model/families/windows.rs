//! Which layers see only a window of the context.

use super::config::Config;
use crate::model::error::ModelError;
use crate::model::spec::DecoderSpec;

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
            "sliding_attention" => Some(config.count("sliding_window")?),
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
