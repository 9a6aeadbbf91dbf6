//! Where a family keeps each tensor in its checkpoint.
//!
//! The spec says which parameters exist; these names say where they are. Names are given without
//! `.weight` and `.bias`. A name that the spec never asks for is simply not used.

/// Tensor names of a whole checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorNames {
    /// Token embedding.
    pub embedding: &'static str,
    /// What stands before a layer's number.
    pub layers: &'static str,
    /// Norm before the head.
    pub final_norm: &'static str,
    /// The head, when it is not tied to the embedding.
    pub head: &'static str,
    /// Names inside a layer.
    pub layer: LayerNames,
}

/// Tensor names inside a layer, after `layers.<number>.`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerNames {
    /// Query projection.
    pub query: &'static str,
    /// Key projection.
    pub key: &'static str,
    /// Value projection.
    pub value: &'static str,
    /// Output projection of attention.
    pub output: &'static str,
    /// Norm of the queries.
    pub query_norm: &'static str,
    /// Norm of the keys.
    pub key_norm: &'static str,
    /// Gate projection of the feed-forward.
    pub gate: &'static str,
    /// Up projection of the feed-forward.
    pub up: &'static str,
    /// Down projection of the feed-forward.
    pub down: &'static str,
    /// Norm on what attention reads.
    pub before_attention: &'static str,
    /// Norm on what attention adds.
    pub after_attention: &'static str,
    /// Norm on what the feed-forward reads.
    pub before_feed_forward: &'static str,
    /// Norm on what the feed-forward adds.
    pub after_feed_forward: &'static str,
}

/// The names Llama introduced and most families kept.
pub const LLAMA: TensorNames = TensorNames {
    embedding: "model.embed_tokens",
    layers: "model.layers",
    final_norm: "model.norm",
    head: "lm_head",
    layer: LayerNames {
        query: "self_attn.q_proj",
        key: "self_attn.k_proj",
        value: "self_attn.v_proj",
        output: "self_attn.o_proj",
        query_norm: "self_attn.q_norm",
        key_norm: "self_attn.k_norm",
        gate: "mlp.gate_proj",
        up: "mlp.up_proj",
        down: "mlp.down_proj",
        before_attention: "input_layernorm",
        after_attention: "post_self_attn_layernorm",
        before_feed_forward: "post_attention_layernorm",
        after_feed_forward: "post_mlp_layernorm",
    },
};
