//! Nemotron: layer norms stored as distance from one, a plain feed-forward of squared `ReLU`.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::spec::{Activation, NormSpec};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 256_000,
    hidden_size: 6144,
    feed_forward_size: 24_576,
    heads: 48,
    context_tokens: 4096,
    rotated_share: 0.5,
    activation: Activation::ReluSquared,
    ..Defaults::LLAMA
};

/// Reads a Nemotron config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let Description { mut spec, names } = llama::describe_with(config, &DEFAULTS)?;
    for layer in &mut spec.layers {
        layer.feed_forward.gated = false;
    }
    spec.set_norms(NormSpec::Layer {
        epsilon: config.number_or("norm_eps", 1e-5)?,
        weight: true,
        weight_offset: 1.0,
        bias: true,
    });
    Ok(Description { spec, names })
}
