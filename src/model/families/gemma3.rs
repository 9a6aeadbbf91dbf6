//! Gemma 3: Gemma 2 with a norm on every query and key head, and rotary positions of their own for
//! layers with a window. Of a checkpoint that can also see, the language model is read.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::rotary::Base;
use super::{Description, gemma, multimodal, rotary, windows};
use crate::model::error::ModelError;
use crate::model::spec::{LayerNorms, QueryKeyNorm};

const DEFAULTS: Defaults =
    Defaults { vocabulary_size: 262_208, context_tokens: 131_072, ..gemma::DEFAULTS_2 };

const FULL: Base = Base { field: Some("rope_theta"), default: 1_000_000.0 };
const SLIDING: Base = Base { field: Some("rope_local_base_freq"), default: 10_000.0 };

/// Reads the config of a model that can also see.
pub(super) fn describe_with_vision(config: &Config) -> Result<Description, ModelError> {
    let text = multimodal::text_config(config, true)?;
    Ok(multimodal::beside_towers(describe(&text)?))
}

/// Reads the config of a language model.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config
        .renamed(&[("_sliding_window_pattern", "sliding_window_pattern")])
        .filled([("sliding_window", json!(4096))]);
    // Transformers reads this field and does not cap.
    if config.get("attn_logit_softcapping").is_some() {
        return Err(config.unsupported("attn_logit_softcapping"));
    }
    let mut spec = gemma::base(config, &DEFAULTS, "hidden_activation")?;
    spec.head.soft_cap = config.optional_number("final_logit_softcapping")?;
    let scale = config.number_or("query_pre_attn_scalar", 256.0)?.sqrt().recip();
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        layer.attention.scale = scale;
        layer.attention.query_key_norm = Some(QueryKeyNorm::of_heads(norm));
        layer.norms = LayerNorms::around(norm);
    }
    let interval = config.count_or("sliding_window_pattern", 6)?;
    windows::apply_interval(config, &mut spec, interval)?;
    rotary::apply_layer_types(config, &mut spec, FULL, SLIDING)?;
    Ok(Description { spec, names: gemma::SANDWICH_NAMES })
}
