//! Command R: both branches read one layer norm, neighbours are rotated, logits are scaled.

use super::config::Config;
use super::llama::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::spec::{NormSpec, RotaryPairing};

const DEFAULTS: Defaults =
    Defaults { theta: 500_000.0, context_tokens: 8192, tied: true, ..Defaults::LLAMA };

/// Reads a Cohere config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    // These norms have a weight for every single head, which a spec cannot say.
    if config.flag_or("use_qk_norm", false)? {
        return Err(config.unsupported("use_qk_norm"));
    }
    let Description { mut spec, names } = llama::describe_with(config, &DEFAULTS)?;
    spec.head.scale = Some(config.number_or("logit_scale", 0.0625)?);
    spec.set_norms(NormSpec::Layer {
        epsilon: config.number_or("layer_norm_eps", 1e-5)?,
        weight: true,
        weight_offset: 0.0,
        bias: false,
    });
    for layer in &mut spec.layers {
        layer.parallel = true;
        layer.norms.before_feed_forward = None;
        if let Some(rotary) = &mut layer.attention.rotary {
            rotary.pairing = RotaryPairing::Neighbours;
        }
    }
    Ok(Description { spec, names })
}
