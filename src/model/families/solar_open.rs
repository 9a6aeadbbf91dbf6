//! Solar Open: Llama with `DeepSeek` 3's experts in every layer.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::mixture::GroupDefaults;
use super::{Description, llama, mixture};
use crate::model::error::ModelError;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 196_608,
    layers: 48,
    heads: 64,
    key_value_heads: Some(8),
    head_size: Some(128),
    theta: 1_000_000.0,
    norm_epsilon: 1e-5,
    context_tokens: 131_072,
    ..Defaults::LLAMA
};

const EXPERTS: GroupDefaults = GroupDefaults {
    count: 128,
    chosen: 8,
    groups: 1,
    chosen_groups: 1,
    renormalised: true,
    scale: 1.0,
    size: 1280,
    shared: 1,
    dense_layers: 0,
};

/// Reads a Solar Open config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    // Every layer has experts, whatever a config inherited says.
    let config = &config.without(&["mlp_bias"]).with("first_k_dense_replace", json!(0));
    let mut description = llama::describe_with(config, &DEFAULTS)?;
    for layer in &mut description.spec.layers {
        layer.attention.output_bias = false;
    }
    mixture::apply_grouped(config, &mut description.spec, &EXPERTS)?;
    Ok(description)
}
