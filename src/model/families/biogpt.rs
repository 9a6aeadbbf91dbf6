//! `BioGPT`: scaled embeddings and learned positions, layer norms, biases everywhere.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, opt};
use crate::model::error::ModelError;
use crate::model::names::TensorNames;
use crate::model::spec::{Activation, LearnedPositions, NormSpec};

/// Transformers fixes ε for this family, whatever its config says.
const NORM_EPSILON: f64 = 1e-5;
/// The table of positions begins with rows that no token has.
const POSITION_OFFSET: usize = 2;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 42_384,
    hidden_size: 1024,
    feed_forward_size: 4096,
    layers: 24,
    heads: 16,
    plain_heads: true,
    rotated_share: 0.0,
    context_tokens: 1024,
    tied: true,
    activation: Activation::Gelu,
    ..Defaults::LLAMA
};

const NAMES: TensorNames = TensorNames {
    embedding: "biogpt.embed_tokens",
    positions: "biogpt.embed_positions",
    layers: "biogpt.layers",
    final_norm: "biogpt.layer_norm",
    head: "output_projection",
    ..opt::NAMES
};

/// Reads a `BioGPT` config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    spec.learned_positions =
        Some(LearnedPositions { count: spec.context_tokens, offset: POSITION_OFFSET });
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
