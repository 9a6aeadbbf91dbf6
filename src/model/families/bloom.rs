//! BLOOM: scores that fall with distance, a norm on the embedded tokens, biases everywhere.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, falcon, llama};
use crate::model::error::ModelError;
use crate::model::names::TensorNames;
use crate::model::spec::{Activation, AlibiSlopes, AlibiSpec, NormSpec, SlopeRounding};

/// The family's names of fields, and the usual ones.
const FIELDS: &[(&str, &str)] = &[
    ("n_embed", "hidden_size"),
    ("n_head", "num_attention_heads"),
    ("n_layer", "num_hidden_layers"),
    ("seq_length", "max_position_embeddings"),
];

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 250_880,
    hidden_size: 64,
    layers: 2,
    heads: 8,
    plain_heads: true,
    rotated_share: 0.0,
    widening: Some(4),
    tied: true,
    ..Defaults::LLAMA
};

const NAMES: TensorNames =
    TensorNames { embedding_norm: "transformer.word_embeddings_layernorm", ..falcon::NAMES };

const ALIBI: AlibiSpec =
    AlibiSpec { slopes: AlibiSlopes::LowerPower, rounding: SlopeRounding::Exact };

/// Reads a BLOOM config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.renamed(FIELDS);
    let mut spec = llama::base(config, &DEFAULTS)?;
    let norm = NormSpec::layer(config.number_or("layer_norm_epsilon", 1e-5)?);
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
