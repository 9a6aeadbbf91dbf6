//! `FlexOlmo`: `OLMo` 2 with a mixture of experts in every layer.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, mixture, olmo2, qwen2_moe};
use crate::model::error::ModelError;
use crate::model::spec::ExpertsSpec;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 100_352,
    theta: 500_000.0,
    context_tokens: 4096,
    ..Defaults::LLAMA
};

/// Reads a `FlexOlmo` config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut description = olmo2::describe_with(&config.without(&["mlp_bias"]), &DEFAULTS)?;
    let (count, chosen) = mixture::sizes(config, 7, 5)?;
    let experts = ExpertsSpec::new(count, qwen2_moe::route(config, chosen)?);
    for layer in &mut description.spec.layers {
        layer.feed_forward.experts = Some(experts);
    }
    Ok(description)
}
