//! Llama 1 to 3, and the base that families grown from Llama start with.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, activation, rotary};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::{
    AttentionSpec, DecoderSpec, FeedForwardSpec, HeadSpec, LayerNorms, LayerSpec, NormSpec,
};

/// More layers than this are taken for damage rather than for a model.
const MOST_LAYERS: usize = 10_000;
/// The same of heads.
const MOST_HEADS: usize = 1 << 16;

/// Reads a Llama config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    describe_with(config, &Defaults::LLAMA)
}

/// As [`describe`], with another family's defaults.
pub(super) fn describe_with(
    config: &Config,
    defaults: &Defaults,
) -> Result<Description, ModelError> {
    let mut spec = base(config, defaults)?;
    let attention_bias = config.flag_or("attention_bias", false)?;
    let feed_forward_bias = config.flag_or("mlp_bias", false)?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = attention_bias;
        layer.attention.output_bias = attention_bias;
        layer.feed_forward.bias = feed_forward_bias;
    }
    Ok(Description { spec, names: names::LLAMA })
}

/// The decoder most families share: RMS norm before each branch, grouped heads, rotary positions,
/// gated feed-forward, no biases.
pub(super) fn base(config: &Config, defaults: &Defaults) -> Result<DecoderSpec, ModelError> {
    let hidden_size = config.count_or("hidden_size", defaults.hidden_size)?;
    let layers = config.count_or("num_hidden_layers", defaults.layers)?;
    if layers > MOST_LAYERS {
        return Err(config.expected("num_hidden_layers", "at most 10000"));
    }
    let heads = config.count_or("num_attention_heads", defaults.heads)?;
    if heads > MOST_HEADS {
        return Err(config.expected("num_attention_heads", "at most 65536"));
    }
    let key_value_heads = match defaults.key_value_heads {
        _ if defaults.plain_heads || config.is_null("num_key_value_heads") => heads,
        default => config.count_or("num_key_value_heads", default.unwrap_or(heads))?,
    };
    if !heads.is_multiple_of(key_value_heads) {
        return Err(config.expected("num_key_value_heads", "a divisor of `num_attention_heads`"));
    }
    let head_size = match config.optional_count("head_dim")? {
        Some(head_size) if !defaults.plain_heads => Some(head_size),
        None if !config.is_null("head_dim") => defaults.head_size,
        _ => None,
    };
    let head_size = match head_size {
        Some(head_size) => head_size,
        None if hidden_size.is_multiple_of(heads) => hidden_size / heads,
        None => return Err(config.expected("num_attention_heads", "a divisor of `hidden_size`")),
    };
    let epsilon = config.number_or("rms_norm_eps", defaults.norm_epsilon)?;
    let norm = NormSpec::rms(epsilon);
    let layer = LayerSpec {
        attention: AttentionSpec {
            heads,
            key_value_heads,
            head_size,
            input_bias: false,
            output_bias: false,
            input_limit: None,
            scale: (head_size as f64).sqrt().recip(),
            query_key_norm: None,
            rotary: if defaults.rotated_share > 0.0 {
                Some(rotary::read(config, head_size, defaults)?)
            } else {
                None
            },
            alibi: None,
            window_tokens: None,
            score_soft_cap: None,
            sinks: false,
            query_growth: None,
            latent: None,
        },
        feed_forward: FeedForwardSpec {
            size: match defaults.widening {
                Some(factor) => config.count_or("intermediate_size", factor * hidden_size)?,
                None => config.count_or("intermediate_size", defaults.feed_forward_size)?,
            },
            gated: true,
            activation: activation::read(config, "hidden_act", defaults.activation)?,
            bias: false,
            experts: None,
        },
        norms: LayerNorms::before(norm),
        parallel: false,
        residual_scale: None,
        norms_after_sum: false,
        adds_to_normed: false,
    };
    Ok(DecoderSpec {
        hidden_size,
        vocabulary_size: config.count_or("vocab_size", defaults.vocabulary_size)?,
        context_tokens: config.count_or("max_position_embeddings", defaults.context_tokens)?,
        embedding_size: None,
        embedding_scale: None,
        learned_positions: None,
        sinusoidal_positions: None,
        embedding_norm: None,
        layers: vec![layer; layers],
        unread_layers: match config.count_or_zero("num_nextn_predict_layers", 0)? {
            0 => config.count_or_zero("num_mtp_layers", 0)?,
            layers => layers,
        },
        final_norm: norm,
        head: HeadSpec {
            tied: config.flag_or("tie_word_embeddings", defaults.tied)?,
            bias: false,
            scale: None,
            soft_cap: None,
        },
        sees_prompt_both_ways: false,
    })
}
