//! dots.llm1: Qwen 3's attention and `DeepSeek` 3's experts.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::mixture::GroupDefaults;
use super::{Description, llama, mixture, windows};
use crate::model::error::ModelError;
use crate::model::spec::QueryKeyNorm;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 152_064,
    hidden_size: 4608,
    feed_forward_size: 10_944,
    layers: 62,
    key_value_heads: Some(32),
    ..Defaults::LLAMA
};

const EXPERTS: GroupDefaults = GroupDefaults {
    count: 128,
    chosen: 6,
    groups: 1,
    chosen_groups: 1,
    renormalised: false,
    scale: 1.0,
    size: 1408,
    shared: 2,
    dense_layers: 0,
};

/// Reads a dots1 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.filled([("sliding_window", json!(4096))]).without(&["mlp_bias"]);
    let mut description = llama::describe_with(config, &DEFAULTS)?;
    let spec = &mut description.spec;
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        layer.attention.query_key_norm = Some(QueryKeyNorm::of_heads(norm));
    }
    if !windows::apply_layer_types(config, spec)? {
        let window_tokens = config.optional_count("sliding_window")?;
        let first = config.count_or_zero("max_window_layers", 62)?;
        for layer in spec.layers.iter_mut().skip(first) {
            layer.attention.window_tokens = window_tokens;
        }
    }
    mixture::apply_grouped(config, spec, &EXPERTS)?;
    Ok(description)
}
