//! `StableLM` 2: layer norms, partly rotated heads, optionally parallel branches.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{NormSpec, QueryKeyNorm};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 50_304,
    hidden_size: 2560,
    feed_forward_size: 6912,
    key_value_heads: Some(32),
    context_tokens: 4096,
    rotated_share: 0.25,
    ..Defaults::LLAMA
};

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        query_norm: "self_attn.q_layernorm.norms",
        key_norm: "self_attn.k_layernorm.norms",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads a `StableLM` config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    let epsilon = config.number_or("layer_norm_eps", 1e-5)?;
    spec.set_norms(NormSpec::layer(epsilon));
    let query_key_norm = config
        .flag_or("qk_layernorm", false)?
        .then_some(QueryKeyNorm::of_each_head(NormSpec::layer_without_bias(epsilon)));
    let input_bias = config.flag_or("use_qkv_bias", false)?;
    let parallel = config.flag_or("use_parallel_residual", false)?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = input_bias;
        layer.attention.query_key_norm = query_key_norm;
        if parallel {
            layer.parallel = true;
            layer.norms.before_feed_forward = None;
        }
    }
    Ok(Description { spec, names: NAMES })
}
