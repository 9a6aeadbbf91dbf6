//! Gemma 1 and 2: scaled embeddings, norms with weights stored as distance from one, tanh GELU; the
//! second generation puts norms on both sides of each branch, caps scores and logits and alternates
//! windows.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
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

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 256_000,
    hidden_size: 3072,
    feed_forward_size: 24_576,
    layers: 28,
    heads: 16,
    key_value_heads: Some(16),
    head_size: Some(256),
    context_tokens: 8192,
    tied: true,
    ..Defaults::LLAMA
};

/// The second generation's.
pub(super) const DEFAULTS_2: Defaults = Defaults {
    hidden_size: 2304,
    feed_forward_size: 9216,
    layers: 26,
    heads: 8,
    key_value_heads: Some(4),
    ..DEFAULTS
};

/// Reads a config of the first generation.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    // Old configs say "gelu" and mean its approximation.
    let mut spec = base(config, &DEFAULTS, "hidden_act")?;
    for layer in &mut spec.layers {
        if layer.feed_forward.activation == Activation::Gelu {
            layer.feed_forward.activation = Activation::GeluTanh;
        }
    }
    Ok(Description { spec, names: names::LLAMA })
}

/// Reads a config of the second generation.
pub(super) fn describe_2(config: &Config) -> Result<Description, ModelError> {
    // Null means no cap.
    let config = &config.filled([
        ("final_logit_softcapping", json!(30.0)),
        ("attn_logit_softcapping", json!(50.0)),
        ("sliding_window", json!(4096)),
    ]);
    let mut spec = base(config, &DEFAULTS_2, "hidden_activation")?;
    spec.head.soft_cap = config.optional_number("final_logit_softcapping")?;
    let score_soft_cap = config.optional_number("attn_logit_softcapping")?;
    let scale = config.number_or("query_pre_attn_scalar", 256.0)?.sqrt().recip();
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        layer.attention.scale = scale;
        layer.attention.score_soft_cap = score_soft_cap;
        layer.norms = LayerNorms::around(norm);
    }
    if !windows::apply_layer_types(config, &mut spec)? {
        let window = config.count("sliding_window")?;
        for layer in spec.layers.iter_mut().step_by(2) {
            layer.attention.window_tokens = Some(window);
        }
    }
    Ok(Description { spec, names: SANDWICH_NAMES })
}

/// Reads the config of a `VaultGemma`: the second generation with norms before each branch alone.
pub(super) fn describe_vault(config: &Config) -> Result<Description, ModelError> {
    let Description { mut spec, names } = describe_2(config)?;
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        layer.norms = LayerNorms::before(norm);
    }
    Ok(Description { spec, names })
}

/// What all generations share.
pub(super) fn base(
    config: &Config,
    defaults: &Defaults,
    activation_field: &str,
) -> Result<DecoderSpec, ModelError> {
    if config.flag_or("use_bidirectional_attention", false)? {
        return Err(config.unsupported("use_bidirectional_attention"));
    }
    let mut spec = llama::base(config, defaults)?;
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
