//! `OLMoE`: norms on whole queries and keys, and a mixture of experts in every layer.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, mixture, qwen2_moe};
use crate::model::error::ModelError;
use crate::model::spec::{ExpertsSpec, QueryKeyNorm};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 50_304,
    hidden_size: 2048,
    feed_forward_size: 2048,
    layers: 16,
    heads: 16,
    norm_epsilon: 1e-5,
    context_tokens: 4096,
    ..Defaults::LLAMA
};

/// Reads an `OLMoE` config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    // Here queries and keys are cut after their norm, which a spec cannot say.
    if config.get("clip_qkv").is_some() {
        return Err(config.unsupported("clip_qkv"));
    }
    let mut description = llama::describe_with(&config.without(&["mlp_bias"]), &DEFAULTS)?;
    let norm = description.spec.final_norm;
    let (count, chosen) = mixture::sizes(config, 64, 8)?;
    let experts = ExpertsSpec::new(count, qwen2_moe::route(config, chosen)?);
    for layer in &mut description.spec.layers {
        layer.attention.query_key_norm = Some(QueryKeyNorm::of_tokens(norm));
        layer.feed_forward.experts = Some(experts);
    }
    Ok(description)
}
