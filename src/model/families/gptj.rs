//! GPT-J: both branches read one layer norm, neighbours are rotated, only the feed-forward and the
//! head have biases.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, gpt2, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{Activation, NormSpec, RotaryPairing, RotaryScaling, RotarySpec};

/// Base of the frequencies; no config names another.
const THETA: f64 = 10_000.0;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 50_400,
    layers: 28,
    heads: 16,
    plain_heads: true,
    rotated_share: 0.0,
    widening: Some(4),
    activation: Activation::GeluTanh,
    ..Defaults::LLAMA
};

pub(super) const NAMES: TensorNames = TensorNames {
    embedding: "transformer.wte",
    layers: "transformer.h",
    final_norm: "transformer.ln_f",
    layer: LayerNames {
        query: "attn.q_proj",
        key: "attn.k_proj",
        value: "attn.v_proj",
        output: "attn.out_proj",
        up: "mlp.fc_in",
        down: "mlp.fc_out",
        before_attention: "ln_1",
        ..names::LLAMA.layer
    },
    // Causal masks of old releases.
    ignored: &[".attn.bias", ".attn.masked_bias"],
    ..names::LLAMA
};

/// Reads a GPT-J config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.renamed(gpt2::FIELDS);
    let mut spec = llama::base(config, &DEFAULTS)?;
    spec.head.bias = true;
    spec.set_norms(NormSpec::layer(config.number_or("layer_norm_epsilon", 1e-5)?));
    let rotated_size = config.count_or("rotary_dim", 64)?;
    for layer in &mut spec.layers {
        if !rotated_size.is_multiple_of(2) || rotated_size > layer.attention.head_size {
            return Err(config.expected("rotary_dim", "an even part of a head"));
        }
        layer.attention.rotary = Some(RotarySpec {
            rotated_size,
            theta: THETA,
            pairing: RotaryPairing::Neighbours,
            scaling: RotaryScaling::None,
            pair_axes: Vec::new(),
        });
        layer.parallel = true;
        layer.norms.before_feed_forward = None;
        layer.feed_forward.bias = true;
        layer.feed_forward.gated = false;
    }
    Ok(Description { spec, names: NAMES })
}
