//! XGLM: scaled embeddings, positions as sines and cosines, layer norms, biases everywhere.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, opt};
use crate::model::error::ModelError;
use crate::model::names::TensorNames;
use crate::model::spec::{Activation, NormSpec, SinusoidalPositions};

/// Transformers fixes ε for this family.
const NORM_EPSILON: f64 = 1e-5;
/// The first token has this place.
const POSITION_OFFSET: usize = 2;

/// The family's names of fields, and the usual ones.
const FIELDS: &[(&str, &str)] = &[
    ("d_model", "hidden_size"),
    ("ffn_dim", "intermediate_size"),
    ("num_layers", "num_hidden_layers"),
    ("attention_heads", "num_attention_heads"),
    ("activation_function", "hidden_act"),
];

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 256_008,
    hidden_size: 1024,
    feed_forward_size: 4096,
    layers: 24,
    heads: 16,
    plain_heads: true,
    rotated_share: 0.0,
    tied: true,
    activation: Activation::Gelu,
    ..Defaults::LLAMA
};

const NAMES: TensorNames = TensorNames {
    embedding: "model.embed_tokens",
    layers: "model.layers",
    final_norm: "model.layer_norm",
    ignored: &["embed_positions.weights"],
    ..opt::NAMES
};

/// Reads an XGLM config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    if config.flag_or("add_cross_attention", false)? {
        return Err(config.unsupported("add_cross_attention"));
    }
    let config = &config.renamed(FIELDS);
    let mut spec = llama::base(config, &DEFAULTS)?;
    if spec.hidden_size < 4 {
        return Err(config.expected("hidden_size", "at least 4"));
    }
    // The row of the padding token is blank, although places are not tokens.
    let blank = if config.is_null("pad_token_id") {
        None
    } else {
        Some(config.count_or_zero("pad_token_id", 1)?)
    };
    spec.sinusoidal_positions = Some(SinusoidalPositions { offset: POSITION_OFFSET, blank });
    if config.flag_or("scale_embedding", true)? {
        spec.embedding_scale = Some((spec.hidden_size as f64).sqrt());
    }
    spec.set_norms(NormSpec::layer(NORM_EPSILON));
    for layer in &mut spec.layers {
        layer.attention.input_bias = true;
        layer.attention.output_bias = true;
        layer.feed_forward.bias = true;
        layer.feed_forward.gated = false;
    }
    Ok(Description { spec, names: NAMES })
}
