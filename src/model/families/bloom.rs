//! BLOOM: scores that fall with distance, a norm on the embedded tokens, biases everywhere.

use super::config::Config;
use super::llama::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, FusedInput, FusedOrder, LayerNames, TensorNames};
use crate::model::spec::{Activation, AlibiSlopes, AlibiSpec, NormSpec, SlopeRounding};

/// The family's names of fields, and the usual ones.
const FIELDS: &[(&str, &str)] = &[
    ("n_embed", "hidden_size"),
    ("n_head", "num_attention_heads"),
    ("n_layer", "num_hidden_layers"),
    ("seq_length", "max_position_embeddings"),
];

const DEFAULTS: Defaults =
    Defaults { rotated_share: 0.0, widening: Some(4), tied: true, ..Defaults::LLAMA };

const NAMES: TensorNames = TensorNames {
    embedding: "transformer.word_embeddings",
    embedding_norm: "transformer.word_embeddings_layernorm",
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

const ALIBI: AlibiSpec =
    AlibiSpec { slopes: AlibiSlopes::LowerPower, rounding: SlopeRounding::Exact };

/// Reads a BLOOM config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.renamed(FIELDS);
    let mut spec = llama::base(config, &DEFAULTS)?;
    let norm = NormSpec::Layer {
        epsilon: config.number_or("layer_norm_epsilon", 1e-5)?,
        weight: true,
        weight_offset: 0.0,
        bias: true,
    };
    spec.set_norms(norm);
    spec.embedding_norm = Some(norm);
    let adds_to_normed = config.flag_or("apply_residual_connection_post_layernorm", false)?;
    for layer in &mut spec.layers {
        layer.adds_to_normed = adds_to_normed;
        layer.attention.alibi = Some(ALIBI);
        layer.attention.input_bias = true;
        layer.attention.output_bias = true;
        layer.feed_forward.bias = true;
        layer.feed_forward.gated = false;
        layer.feed_forward.activation = Activation::GeluTanh;
    }
    Ok(Description { spec, names: NAMES })
}
