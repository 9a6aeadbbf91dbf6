//! Qwen 3 with experts: Qwen 3 in which most layers have many small networks.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, mixture, qwen2_moe, windows};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::{ExpertsSpec, QueryKeyNorm};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 151_936,
    hidden_size: 2048,
    feed_forward_size: 6144,
    layers: 24,
    key_value_heads: Some(4),
    context_tokens: 32_768,
    ..Defaults::LLAMA
};

/// Reads a Qwen3-MoE config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    let bias = config.flag_or("attention_bias", false)?;
    let window_tokens = windows::switched_on(config)?;
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.attention.window_tokens = window_tokens;
        layer.attention.query_key_norm = Some(QueryKeyNorm::of_heads(norm));
    }
    let (count, chosen) = mixture::sizes(config, 128, 8)?;
    let experts = ExpertsSpec::new(count, qwen2_moe::route(config, chosen)?);
    let size = config.count_or("moe_intermediate_size", 768)?;
    qwen2_moe::apply_experts(config, &mut spec, size, experts)?;
    Ok(Description { spec, names: names::LLAMA })
}
