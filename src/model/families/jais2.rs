//! Jais 2: Llama with layer norms, a plain feed-forward of squared `ReLU`, and biases everywhere.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::spec::{Activation, NormSpec};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 150_272,
    hidden_size: 3328,
    feed_forward_size: 26_624,
    heads: 26,
    context_tokens: 8192,
    activation: Activation::ReluSquared,
    ..Defaults::LLAMA
};

/// Reads a Jais 2 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.filled([("attention_bias", json!(true)), ("mlp_bias", json!(true))]);
    let mut description = llama::describe_with(config, &DEFAULTS)?;
    let spec = &mut description.spec;
    spec.set_norms(NormSpec::layer(config.number_or("layer_norm_eps", 1e-5)?));
    for layer in &mut spec.layers {
        layer.feed_forward.gated = false;
    }
    Ok(description)
}
