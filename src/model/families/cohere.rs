//! Command R: both branches read one layer norm, neighbours are rotated, logits are scaled.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::spec::{NormSpec, QueryKeyNorm, RotaryPairing};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 256_000,
    hidden_size: 8192,
    feed_forward_size: 22_528,
    layers: 40,
    heads: 64,
    theta: 500_000.0,
    context_tokens: 8192,
    tied: true,
    ..Defaults::LLAMA
};

/// Reads a Cohere config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let Description { mut spec, names } = llama::describe_with(config, &DEFAULTS)?;
    spec.head.scale = Some(config.number_or("logit_scale", 0.0625)?);
    let norm = NormSpec::layer_without_bias(config.number_or("layer_norm_eps", 1e-5)?);
    spec.set_norms(norm);
    let query_key_norm =
        config.flag_or("use_qk_norm", false)?.then_some(QueryKeyNorm::of_each_head(norm));
    for layer in &mut spec.layers {
        layer.parallel = true;
        layer.norms.before_feed_forward = None;
        layer.attention.query_key_norm = query_key_norm;
        if let Some(rotary) = &mut layer.attention.rotary {
            rotary.pairing = RotaryPairing::Neighbours;
        }
    }
    Ok(Description { spec, names })
}
