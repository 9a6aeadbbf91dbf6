//! GLM 4.5: Llama with partly rotated heads and `DeepSeek` 3's experts.

use super::config::Config;
use super::defaults::Defaults;
use super::mixture::GroupDefaults;
use super::{Description, llama, mixture};
use crate::model::error::ModelError;
use crate::model::spec::QueryKeyNorm;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 151_552,
    feed_forward_size: 10_944,
    layers: 46,
    heads: 96,
    key_value_heads: Some(8),
    rotated_share: 0.5,
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
    size: 1408,
    shared: 1,
    dense_layers: 1,
};

/// Reads a GLM 4.5 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut description = llama::describe_with(&config.without(&["mlp_bias"]), &DEFAULTS)?;
    let norm = description.spec.final_norm;
    let query_key_norm =
        config.flag_or("use_qk_norm", false)?.then_some(QueryKeyNorm::of_heads(norm));
    for layer in &mut description.spec.layers {
        layer.attention.output_bias = false;
        layer.attention.query_key_norm = query_key_norm;
    }
    mixture::apply_grouped(config, &mut description.spec, &EXPERTS)?;
    Ok(description)
}
