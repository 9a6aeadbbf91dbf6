//! Ministral 3: Mistral with `YaRN`, whose queries grow beyond the original context.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, rotary};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::QueryGrowth;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 131_072,
    feed_forward_size: 14_336,
    layers: 34,
    key_value_heads: Some(8),
    head_size: Some(128),
    norm_epsilon: 1e-5,
    context_tokens: 262_144,
    ..Defaults::LLAMA
};

/// Reads a Ministral 3 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &rotary::filled(
        config,
        json!({
            "rope_type": "yarn", "rope_theta": 1e6, "factor": 16.0,
            "original_max_position_embeddings": 16_384, "beta_fast": 32.0, "beta_slow": 1.0,
            "mscale_all_dim": 1.0, "mscale": 1.0, "llama_4_scaling_beta": 0.1,
        }),
    )?;
    let mut spec = llama::base(config, &DEFAULTS)?;
    let window_tokens = config.optional_count("sliding_window")?;
    let query_growth = Some(query_growth(config)?);
    for layer in &mut spec.layers {
        layer.attention.window_tokens = window_tokens;
        layer.attention.query_growth = query_growth;
    }
    Ok(Description { spec, names: names::LLAMA })
}

fn query_growth(config: &Config) -> Result<QueryGrowth, ModelError> {
    const STRENGTH: &str = "llama_4_scaling_beta";
    let Some(parameters) = rotary::parameters(config)? else {
        return Err(config.expected("rope_parameters", "an object"));
    };
    let Some(strength) = parameters.optional_number(STRENGTH)? else {
        return Err(parameters.expected(STRENGTH, "a number"));
    };
    let original_context_tokens = parameters.count("original_max_position_embeddings")?;
    Ok(QueryGrowth { strength, original_context_tokens })
}
