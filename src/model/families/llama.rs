//! Llama 1 to 3, and the base that families grown from Llama start with.

use super::config::Config;
use super::{Description, activation, rotary};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::{
    Activation, AttentionSpec, DecoderSpec, FeedForwardSpec, HeadSpec, LayerNorms, LayerSpec,
    NormSpec,
};

/// More layers than this are taken for damage rather than for a model.
const MOST_LAYERS: usize = 10_000;

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

/// What a family assumes where its config is silent.
pub(super) struct Defaults {
    /// Width of a head; `None` where the heads divide the hidden size among them.
    pub(super) head_size: Option<usize>,
    /// Share of a head that is rotated; zero where positions are told otherwise.
    pub(super) rotated_share: f64,
    /// How many times wider than the hidden size the feed-forward is; `None` where the config must
    /// say.
    pub(super) widening: Option<usize>,
    /// Base of the rotary frequencies.
    pub(super) theta: f64,
    /// ε of the norms.
    pub(super) norm_epsilon: f64,
    /// The longest sequence.
    pub(super) context_tokens: usize,
    /// The head's weight is the embedding.
    pub(super) tied: bool,
}

impl Defaults {
    /// Llama's own.
    pub(super) const LLAMA: Self = Self {
        head_size: None,
        rotated_share: 1.0,
        widening: None,
        theta: 10_000.0,
        norm_epsilon: 1e-6,
        context_tokens: 2048,
        tied: false,
    };
}

/// The decoder most families share: RMS norm before each branch, grouped heads, rotary positions,
/// gated feed-forward, no biases.
pub(super) fn base(config: &Config, defaults: &Defaults) -> Result<DecoderSpec, ModelError> {
    let hidden_size = config.count("hidden_size")?;
    let layers = config.count("num_hidden_layers")?;
    if layers > MOST_LAYERS {
        return Err(config.expected("num_hidden_layers", "at most 10000"));
    }
    let heads = config.count("num_attention_heads")?;
    let key_value_heads = config.count_or("num_key_value_heads", heads)?;
    if !heads.is_multiple_of(key_value_heads) {
        return Err(config.expected("num_key_value_heads", "a divisor of `num_attention_heads`"));
    }
    let head_size = match config.optional_count("head_dim")?.or(defaults.head_size) {
        Some(head_size) => head_size,
        None if hidden_size.is_multiple_of(heads) => hidden_size / heads,
        None => return Err(config.expected("num_attention_heads", "a divisor of `hidden_size`")),
    };
    let epsilon = config.number_or("rms_norm_eps", defaults.norm_epsilon)?;
    let norm = NormSpec::Rms { epsilon, weight_offset: 0.0 };
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
            latent: None,
        },
        feed_forward: FeedForwardSpec {
            size: match defaults.widening {
                Some(factor) => config.count_or("intermediate_size", factor * hidden_size)?,
                None => config.count("intermediate_size")?,
            },
            gated: true,
            activation: activation::read(config, "hidden_act", Activation::Silu)?,
            bias: false,
            experts: None,
        },
        norms: LayerNorms {
            before_attention: Some(norm),
            before_feed_forward: Some(norm),
            ..LayerNorms::default()
        },
        parallel: false,
        residual_scale: None,
        norms_after_sum: false,
        adds_to_normed: false,
    };
    Ok(DecoderSpec {
        hidden_size,
        vocabulary_size: config.count("vocab_size")?,
        context_tokens: config.count_or("max_position_embeddings", defaults.context_tokens)?,
        embedding_scale: None,
        learned_positions: None,
        embedding_norm: None,
        layers: vec![layer; layers],
        final_norm: norm,
        head: HeadSpec {
            tied: config.flag_or("tie_word_embeddings", defaults.tied)?,
            bias: false,
            scale: None,
            soft_cap: None,
        },
    })
}
