//! GPT-2: learned positions, layer norms, a plain feed-forward, matrices stored as `(in, out)`.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, FusedInput, FusedOrder, LayerNames, TensorNames};
use crate::model::spec::{Activation, LearnedPositions, NormSpec};

/// The family's names of fields, and the usual ones.
pub(super) const FIELDS: &[(&str, &str)] = &[
    ("n_embd", "hidden_size"),
    ("n_head", "num_attention_heads"),
    ("n_layer", "num_hidden_layers"),
    ("n_inner", "intermediate_size"),
    ("n_positions", "max_position_embeddings"),
    ("activation_function", "hidden_act"),
];

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 50_257,
    hidden_size: 768,
    layers: 12,
    heads: 12,
    plain_heads: true,
    rotated_share: 0.0,
    widening: Some(4),
    context_tokens: 1024,
    tied: true,
    activation: Activation::GeluTanh,
    ..Defaults::LLAMA
};

pub(super) const NAMES: TensorNames = TensorNames {
    embedding: "transformer.wte",
    positions: "transformer.wpe",
    layers: "transformer.h",
    final_norm: "transformer.ln_f",
    layer: LayerNames {
        fused_input: Some(FusedInput { name: "attn.c_attn", order: FusedOrder::Parts }),
        output: "attn.c_proj",
        up: "mlp.c_fc",
        down: "mlp.c_proj",
        before_attention: "ln_1",
        before_feed_forward: "ln_2",
        transposed: true,
        ..names::LLAMA.layer
    },
    // Causal masks of old releases.
    ignored: &[".attn.bias", ".attn.masked_bias"],
    ..names::LLAMA
};

/// Reads a GPT-2 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    if config.flag_or("add_cross_attention", false)? {
        return Err(config.unsupported("add_cross_attention"));
    }
    let scaled = config.flag_or("scale_attn_weights", true)?;
    let scaled_by_layer = config.flag_or("scale_attn_by_inverse_layer_idx", false)?;
    let config = &config.renamed(FIELDS);
    let mut spec = llama::base(config, &DEFAULTS)?;
    spec.learned_positions = Some(LearnedPositions { count: spec.context_tokens, offset: 0 });
    spec.set_norms(NormSpec::layer(config.number_or("layer_norm_epsilon", 1e-5)?));
    for (number, layer) in spec.layers.iter_mut().enumerate() {
        layer.attention.input_bias = true;
        layer.attention.output_bias = true;
        if !scaled {
            layer.attention.scale = 1.0;
        }
        if scaled_by_layer {
            layer.attention.scale /= (number + 1) as f64;
        }
        layer.feed_forward.bias = true;
        layer.feed_forward.gated = false;
    }
    Ok(Description { spec, names: NAMES })
}
