//! `MiniMax` M2: norms on whole queries and keys, partly rotated heads, and experts that are scored by
//! sigmoids and chosen with a correction.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, mixtral, mixture};
use crate::model::error::ModelError;
use crate::model::names::{self, ExpertNames, LayerNames, TensorNames};
use crate::model::spec::{ExpertsSpec, QueryKeyNorm, RouteRule, RouteScore};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 200_064,
    hidden_size: 3072,
    feed_forward_size: 1536,
    layers: 62,
    heads: 48,
    key_value_heads: Some(8),
    head_size: Some(128),
    theta: 5_000_000.0,
    context_tokens: 196_608,
    ..Defaults::LLAMA
};

const CORRECTION: &str = "block_sparse_moe.e_score_correction_bias";

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        experts: &[
            ExpertNames { correction: CORRECTION, ..mixtral::SINGLE },
            ExpertNames { correction: "mlp.e_score_correction_bias", ..names::STACKED_EXPERTS },
        ],
        ..mixtral::NAMES.layer
    },
    ..mixtral::NAMES
};

/// Reads a `MiniMax` M2 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut config = config.clone();
    if let Some(rotated_size) = config.optional_count("rotary_dim")? {
        let head_size = config.count_or("head_dim", 128)?;
        let share = rotated_size as f64 / head_size as f64;
        config = config.filled([("partial_rotary_factor", json!(share))]);
    }
    let mut spec = llama::base(&config, &DEFAULTS)?;
    let norm = spec.final_norm;
    let (count, chosen) = mixture::sizes(&config, 256, 8)?;
    let route = RouteRule {
        chosen,
        score: RouteScore::Sigmoid,
        groups: None,
        renormalised: Some(0.0),
        scale: 1.0,
    };
    let experts = ExpertsSpec { correction: true, ..ExpertsSpec::new(count, route) };
    for layer in &mut spec.layers {
        layer.attention.query_key_norm = Some(QueryKeyNorm::of_tokens(norm));
        layer.feed_forward.experts = Some(experts);
    }
    Ok(Description { spec, names: NAMES })
}
