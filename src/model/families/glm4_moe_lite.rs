//! GLM 4.7 Flash: `DeepSeek` 3 in other sizes.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::mixture::GroupDefaults;
use super::{Description, deepseek, mixture};
use crate::model::error::ModelError;
use crate::model::names;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 154_880,
    hidden_size: 2048,
    feed_forward_size: 10_240,
    layers: 47,
    heads: 20,
    key_value_heads: Some(20),
    norm_epsilon: 1e-5,
    context_tokens: 202_752,
    ..Defaults::LLAMA
};

const EXPERTS: GroupDefaults = GroupDefaults {
    count: 64,
    chosen: 4,
    groups: 1,
    chosen_groups: 1,
    renormalised: true,
    scale: 1.8,
    size: 1536,
    shared: 1,
    dense_layers: 1,
};

/// Reads a GLM 4.7 Flash config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.filled([
        ("q_lora_rank", json!(768)),
        ("qk_nope_head_dim", json!(192)),
        ("v_head_dim", json!(256)),
    ]);
    let mut spec = deepseek::base_3(config, &DEFAULTS)?;
    mixture::apply_grouped(config, &mut spec, &EXPERTS)?;
    Ok(Description { spec, names: names::LLAMA })
}
