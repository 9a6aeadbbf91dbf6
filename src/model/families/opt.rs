//! OPT: learned positions, layer norms before or after the branches, a plain feed-forward of `ReLU`.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{Activation, LayerNorms, LearnedPositions, NormSpec};

/// Transformers fixes ε for this family.
const NORM_EPSILON: f64 = 1e-5;
/// The table of positions begins with rows that no token has.
const POSITION_OFFSET: usize = 2;

/// The family's names of fields, and the usual ones.
const FIELDS: &[(&str, &str)] =
    &[("ffn_dim", "intermediate_size"), ("activation_function", "hidden_act")];

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 50_272,
    hidden_size: 768,
    feed_forward_size: 3072,
    layers: 12,
    heads: 12,
    plain_heads: true,
    rotated_share: 0.0,
    tied: true,
    activation: Activation::Relu,
    ..Defaults::LLAMA
};

pub(super) const NAMES: TensorNames = TensorNames {
    embedding: "model.decoder.embed_tokens",
    embedding_out: "model.decoder.project_in",
    head_in: "model.decoder.project_out",
    positions: "model.decoder.embed_positions",
    layers: "model.decoder.layers",
    final_norm: "model.decoder.final_layer_norm",
    layer: LayerNames {
        output: "self_attn.out_proj",
        up: "fc1",
        down: "fc2",
        before_attention: "self_attn_layer_norm",
        after_attention: "self_attn_layer_norm",
        before_feed_forward: "final_layer_norm",
        after_feed_forward: "final_layer_norm",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads an OPT config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.renamed(FIELDS);
    let mut spec = llama::base(config, &DEFAULTS)?;
    spec.embedding_size = config
        .optional_count("word_embed_proj_dim")?
        .filter(|embedding_size| *embedding_size != spec.hidden_size);
    spec.learned_positions =
        Some(LearnedPositions { count: spec.context_tokens, offset: POSITION_OFFSET });
    let affine = config.flag_or("layer_norm_elementwise_affine", true)?;
    let norm =
        NormSpec::Layer { epsilon: NORM_EPSILON, weight: affine, weight_offset: 0.0, bias: affine };
    spec.set_norms(norm);
    let norms_before = config.flag_or("do_layer_norm_before", true)?;
    if !norms_before || config.flag_or("_remove_final_layer_norm", false)? {
        spec.final_norm = NormSpec::Identity;
    }
    let bias = config.flag_or("enable_bias", true)?;
    for layer in &mut spec.layers {
        if !norms_before {
            layer.norms_after_sum = true;
            layer.norms = LayerNorms::after(norm);
        }
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.feed_forward.bias = bias;
        layer.feed_forward.gated = false;
    }
    Ok(Description { spec, names: NAMES })
}
