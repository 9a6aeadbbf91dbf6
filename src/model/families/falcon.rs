//! Falcon: fused projections with one, some or all key heads, layer norms, parallel branches with one
//! norm or two.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, FusedInput, FusedOrder, LayerNames, TensorNames};
use crate::model::spec::{Activation, AlibiSlopes, AlibiSpec, NormSpec, SlopeRounding};

/// The family's names of fields, and the usual ones.
const FIELDS: &[(&str, &str)] = &[
    ("n_embed", "hidden_size"),
    ("n_head", "num_attention_heads"),
    ("n_layer", "num_hidden_layers"),
    ("n_head_kv", "num_kv_heads"),
    ("ffn_hidden_size", "intermediate_size"),
    ("activation", "hidden_act"),
];

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 65_024,
    hidden_size: 4544,
    heads: 71,
    plain_heads: true,
    widening: Some(4),
    tied: true,
    activation: Activation::Gelu,
    ..Defaults::LLAMA
};

pub(super) const NAMES: TensorNames = TensorNames {
    embedding: "transformer.word_embeddings",
    layers: "transformer.h",
    final_norm: "transformer.ln_f",
    layer: LayerNames {
        fused_input: Some(FusedInput {
            name: "self_attention.query_key_value",
            order: FusedOrder::Groups,
        }),
        output: "self_attention.dense",
        up: "mlp.dense_h_to_4h",
        down: "mlp.dense_4h_to_h",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Parallel branches with a norm each.
const NAMES_OF_TWO: TensorNames = TensorNames {
    layer: LayerNames { before_attention: "ln_attn", before_feed_forward: "ln_mlp", ..NAMES.layer },
    ..NAMES
};

/// Transformers computes these biases in bf16 whatever the model's type is.
const ALIBI: AlibiSpec =
    AlibiSpec { slopes: AlibiSlopes::LowerPower, rounding: SlopeRounding::Bf16 };

/// Reads a Falcon config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.renamed(FIELDS);
    let alibi = config.flag_or("alibi", false)?;
    let mut spec = llama::base(config, &DEFAULTS)?;
    spec.set_norms(NormSpec::layer(config.number_or("layer_norm_epsilon", 1e-5)?));
    let grouped = config.flag_or("new_decoder_architecture", false)?;
    let parallel = config.flag_or("parallel_attn", true)?;
    let norms = config.count_or("num_ln_in_parallel_attn", if grouped { 2 } else { 1 })?;
    let two_norms = match (grouped, parallel, norms) {
        (true, true, 1 | 2) => norms == 2,
        (false, true, 1) | (false, false, _) => false,
        (true, false, _) => return Err(config.unsupported("parallel_attn")),
        (_, true, _) => return Err(config.unsupported("num_ln_in_parallel_attn")),
    };
    let one_key_head = config.flag_or("multi_query", true)?;
    let bias = config.flag_or("bias", false)?;
    for layer in &mut spec.layers {
        let heads = layer.attention.heads;
        layer.attention.key_value_heads = match (grouped, one_key_head) {
            (true, _) => config.count_or("num_kv_heads", heads)?,
            (false, true) => 1,
            (false, false) => heads,
        };
        if !heads.is_multiple_of(layer.attention.key_value_heads) {
            return Err(config.expected("num_kv_heads", "a divisor of `num_attention_heads`"));
        }
        if alibi {
            layer.attention.rotary = None;
            layer.attention.alibi = Some(ALIBI);
        }
        layer.parallel = parallel;
        if parallel && !two_norms {
            layer.norms.before_feed_forward = None;
        }
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.feed_forward.bias = bias;
        layer.feed_forward.gated = false;
    }
    Ok(Description { spec, names: if two_norms { NAMES_OF_TWO } else { NAMES } })
}
