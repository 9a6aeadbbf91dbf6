//! Gemma 1 and 2: scaled embeddings, norms with weights stored as distance from one, tanh GELU; the
//! second generation puts norms on both sides of each branch, caps scores and logits and alternates
//! windows.

use super::config::Config;
use super::llama::Defaults;
use super::{Description, activation, llama, windows};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{Activation, DecoderSpec, LayerNorms, NormSpec};

/// Norms on both sides of each branch.
pub(super) const SANDWICH_NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        after_attention: "post_attention_layernorm",
        before_feed_forward: "pre_feedforward_layernorm",
        after_feed_forward: "post_feedforward_layernorm",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

const DEFAULTS: Defaults =
    Defaults { head_size: Some(256), context_tokens: 8192, tied: true, ..Defaults::LLAMA };

/// Reads a config of the first generation.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    // Configs from before `hidden_activation` say "gelu" and mean its approximation.
    let field =
        if config.get("hidden_activation").is_some() { "hidden_activation" } else { "hidden_act" };
    let mut spec = base(config, field)?;
    for layer in &mut spec.layers {
        if layer.feed_forward.activation == Activation::Gelu {
            layer.feed_forward.activation = Activation::GeluTanh;
        }
    }
    Ok(Description { spec, names: names::LLAMA })
}

/// Reads a config of the second generation.
pub(super) fn describe_2(config: &Config) -> Result<Description, ModelError> {
    let mut spec = base(config, "hidden_activation")?;
    spec.head.soft_cap = config.optional_number("final_logit_softcapping")?;
    let score_soft_cap = config.optional_number("attn_logit_softcapping")?;
    let scale = config.number_or("query_pre_attn_scalar", 256.0)?.sqrt().recip();
    let norm = Some(spec.final_norm);
    for layer in &mut spec.layers {
        layer.attention.scale = scale;
        layer.attention.score_soft_cap = score_soft_cap;
        layer.norms = LayerNorms {
            before_attention: norm,
            after_attention: norm,
            before_feed_forward: norm,
            after_feed_forward: norm,
        };
    }
    if !windows::apply_layer_types(config, &mut spec)? {
        let window = config.count_or("sliding_window", 4096)?;
        for layer in spec.layers.iter_mut().step_by(2) {
            layer.attention.window_tokens = Some(window);
        }
    }
    Ok(Description { spec, names: SANDWICH_NAMES })
}

/// What all generations share.
pub(super) fn base(config: &Config, activation_field: &str) -> Result<DecoderSpec, ModelError> {
    if config.flag_or("use_bidirectional_attention", false)? {
        return Err(config.unsupported("use_bidirectional_attention"));
    }
    let mut spec = llama::base(config, &DEFAULTS)?;
    spec.embedding_scale = Some((spec.hidden_size as f64).sqrt());
    let bias = config.flag_or("attention_bias", false)?;
    let activation = activation::read(config, activation_field, Activation::GeluTanh)?;
    let norm =
        NormSpec::Rms { epsilon: config.number_or("rms_norm_eps", 1e-6)?, weight_offset: 1.0 };
    spec.set_norms(norm);
    for layer in &mut spec.layers {
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.feed_forward.activation = activation;
    }
    Ok(spec)
}
