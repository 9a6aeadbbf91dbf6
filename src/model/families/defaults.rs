//! What a family assumes where its config is silent.
//!
//! Transformers writes every field of a config, people do not: what is left out has the value of the
//! family's config class. The values here are those of the classes of transformers 5.

use crate::model::spec::Activation;

/// What a family assumes where its config is silent.
#[derive(Clone, Copy)]
pub(super) struct Defaults {
    /// Rows of the embedding.
    pub(super) vocabulary_size: usize,
    /// Width of the residual stream.
    pub(super) hidden_size: usize,
    /// Width of the feed-forward, unless it follows from the hidden size.
    pub(super) feed_forward_size: usize,
    /// How many times wider than the hidden size the feed-forward is, where that is so.
    pub(super) widening: Option<usize>,
    /// How many layers there are.
    pub(super) layers: usize,
    /// Query heads.
    pub(super) heads: usize,
    /// Key and value heads; `None` for as many as query heads.
    pub(super) key_value_heads: Option<usize>,
    /// Width of a head; `None` where the heads divide the hidden size among them.
    pub(super) head_size: Option<usize>,
    /// Heads divide the hidden size among them and have keys of their own: the family's config class
    /// has no fields for anything else, and whatever a file says of it has no effect.
    pub(super) plain_heads: bool,
    /// The non-linearity of the feed-forward.
    pub(super) activation: Activation,
    /// Share of a head that is rotated; zero where positions are told otherwise.
    pub(super) rotated_share: f64,
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
        vocabulary_size: 32_000,
        hidden_size: 4096,
        feed_forward_size: 11_008,
        widening: None,
        layers: 32,
        heads: 32,
        key_value_heads: None,
        head_size: None,
        plain_heads: false,
        activation: Activation::Silu,
        rotated_share: 1.0,
        theta: 10_000.0,
        norm_epsilon: 1e-6,
        context_tokens: 2048,
        tied: false,
    };
}
