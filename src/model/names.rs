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
    /// Names of attention that expands compressed rows.
    pub latent: LatentNames,
    /// A logit per query head without a value; the whole name.
    pub sinks: &'static str,
    /// Where a layer of experts keeps them: every spelling in use, of which a checkpoint has one.
    pub experts: &'static [ExpertNames],
}

/// Names of attention that expands compressed rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatentNames {
    /// Compresses the queries.
    pub query_down: &'static str,
    /// Norm of the compressed queries.
    pub query_norm: &'static str,
    /// Expands the queries.
    pub query_up: &'static str,
    /// Compresses keys and values, followed by the rotated part of the keys.
    pub key_value_down: &'static str,
    /// Norm of the compressed keys and values.
    pub key_value_norm: &'static str,
    /// Expands keys and values, head by head.
    pub key_value_up: &'static str,
}

/// Names inside a layer of experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpertNames {
    /// From a token to a score for each expert.
    pub router: &'static str,
    /// What is added to the scores for the choice; the whole name.
    pub correction: &'static str,
    /// What stands before the experts.
    pub experts: &'static str,
    /// How they are kept.
    pub storage: ExpertStorage,
    /// Gate, up and down projection of the shared expert.
    pub shared: [&'static str; 3],
    /// The weight of the shared expert.
    pub shared_weight: &'static str,
}

/// How the projections of experts are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpertStorage {
    /// Each by itself, after the expert's number: these are gate, up and down.
    Single([&'static str; 3]),
    /// `gate_up_proj`, (experts, 2 × size, in), gates before ups, and `down_proj`.
    Stacked,
    /// As [`ExpertStorage::Stacked`], but (experts, in, 2 × size), gates and ups in turn.
    StackedInTurn,
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
        latent: LatentNames {
            query_down: "self_attn.q_a_proj",
            query_norm: "self_attn.q_a_layernorm",
            query_up: "self_attn.q_b_proj",
            key_value_down: "self_attn.kv_a_proj_with_mqa",
            key_value_norm: "self_attn.kv_a_layernorm",
            key_value_up: "self_attn.kv_b_proj",
        },
        sinks: "self_attn.sinks",
        experts: &[SINGLE_EXPERTS, STACKED_EXPERTS],
    },
};

/// Experts in files of most families.
pub const SINGLE_EXPERTS: ExpertNames = ExpertNames {
    router: "mlp.gate",
    correction: "mlp.gate.e_score_correction_bias",
    experts: "mlp.experts",
    storage: ExpertStorage::Single(["gate_proj", "up_proj", "down_proj"]),
    shared: [
        "mlp.shared_experts.gate_proj",
        "mlp.shared_experts.up_proj",
        "mlp.shared_experts.down_proj",
    ],
    shared_weight: "mlp.shared_expert_gate",
};

/// Experts as transformers 5 keeps them in memory.
pub const STACKED_EXPERTS: ExpertNames =
    ExpertNames { storage: ExpertStorage::Stacked, ..SINGLE_EXPERTS };
