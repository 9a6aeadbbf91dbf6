//! `OLMo` 2: norms on what a branch adds instead of what it reads, and on whole queries and
//! keys.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{LayerNorms, QueryKeyNorm};

const DEFAULTS: Defaults =
    Defaults { vocabulary_size: 50_304, norm_epsilon: 1e-5, ..Defaults::LLAMA };

/// Norms after each branch.
pub(super) const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        after_attention: "post_attention_layernorm",
        after_feed_forward: "post_feedforward_layernorm",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads an `OLMo` 2 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    describe_with(config, &DEFAULTS)
}

/// As [`describe`], with another family's defaults.
pub(super) fn describe_with(
    config: &Config,
    defaults: &Defaults,
) -> Result<Description, ModelError> {
    let mut spec = llama::describe_with(config, defaults)?.spec;
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        layer.norms = LayerNorms::after(norm);
        layer.attention.query_key_norm = Some(QueryKeyNorm::of_tokens(norm));
    }
    Ok(Description { spec, names: NAMES })
}
