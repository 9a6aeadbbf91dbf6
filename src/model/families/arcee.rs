//! Arcee AFM: Llama with a plain feed-forward of squared `ReLU`.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::spec::Activation;

const DEFAULTS: Defaults = Defaults {
    hidden_size: 2560,
    feed_forward_size: 18_432,
    norm_epsilon: 1e-5,
    context_tokens: 4096,
    activation: Activation::ReluSquared,
    ..Defaults::LLAMA
};

/// Reads an Arcee config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut description = llama::describe_with(config, &DEFAULTS)?;
    for layer in &mut description.spec.layers {
        layer.feed_forward.gated = false;
    }
    Ok(description)
}
