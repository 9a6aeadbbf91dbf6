//! Where a family keeps each tensor in its checkpoint.
//!
//! The spec says which parameters exist; these names say where they are. Names are given without
//! `.weight` and `.bias`. A name that the spec never asks for is simply not used.

use std::borrow::Cow;

use super::spec::AttentionSpec;
use super::stored_matrix::StoredMatrix;

/// Tensor names of a whole checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorNames {
    /// Token embedding.
    pub embedding: &'static str,
    /// Projection from the width of the embedding to that of the residual stream, where they differ.
    pub embedding_out: &'static str,
    /// Projection from the width of the residual stream to the width the head reads, where they differ.
    pub head_in: &'static str,
    /// Learned positions.
    pub positions: &'static str,
    /// Norm on the embedded tokens.
    pub embedding_norm: &'static str,
    /// The prefix before a layer's number.
    pub layers: &'static str,
    /// Norm before the head.
    pub final_norm: &'static str,
    /// The head, when it is not tied to the embedding.
    pub head: &'static str,
    /// Names inside a layer.
    pub layer: LayerNames,
    /// Parts of the names of tensors that may be stored and have no say: buffers of old releases,
    /// towers for other things than text.
    pub ignored: &'static [&'static str],
}

/// Tensor names inside a layer, after `layers.<number>.`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerNames {
    /// Query, key and value projections where they are one matrix.
    pub fused_input: Option<FusedInput>,
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
    /// Gate and up projections, one below the other, where they are one matrix.
    pub fused_gate_up: Option<&'static str>,
    /// Gate projection of the feed-forward.
    pub gate: &'static str,
    /// Up projection of the feed-forward.
    pub up: &'static str,
    /// Down projection of the feed-forward.
    pub down: &'static str,
    /// The prefix of its activation's learned parameters, if it has any.
    pub activation: &'static str,
    /// Norm on what attention reads.
    pub before_attention: &'static str,
    /// Norm on what attention adds.
    pub after_attention: &'static str,
    /// Norm on what the feed-forward reads.
    pub before_feed_forward: &'static str,
    /// Norm on what the feed-forward adds.
    pub after_feed_forward: &'static str,
    /// Names in latent attention, whose queries, keys and values are expanded from compressed rows.
    pub latent: LatentNames,
    /// Attention sinks, a logit for each query head; the whole name.
    pub sinks: &'static str,
    /// Where a layer of experts keeps them: every spelling in use, of which a checkpoint has one.
    pub experts: &'static [ExpertNames],
    /// The matrices of a layer are stored as `(in, out)`.
    pub transposed: bool,
}

/// Names in latent attention, whose queries, keys and values are expanded from compressed rows.
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
    /// The correction that is added to scores when experts are chosen; the whole name.
    pub correction: &'static str,
    /// It is stored as a matrix of one row.
    pub correction_is_row: bool,
    /// The prefix of the experts.
    pub experts: &'static str,
    /// How they are kept.
    pub storage: ExpertStorage,
    /// Gate and up projection of the shared expert, where they are one matrix.
    pub shared_gate_up: Option<&'static str>,
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
    /// Each stacked with those of the other experts, (experts, out, in); the names of gate, up and
    /// down.
    Apart([&'static str; 3]),
    /// Gates before ups in one tensor, (experts, 2 × size, in), and downs in another; the whole names.
    Stacked([&'static str; 2]),
    /// As [`ExpertStorage::Stacked`], but (experts, in, 2 × size), gates and ups in turn.
    StackedInTurn([&'static str; 2]),
}

/// Query, key and value projections that are stored as one matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FusedInput {
    /// Its name.
    pub name: &'static str,
    /// In which order its rows stand.
    pub order: FusedOrder,
}

/// In which order the rows of a fused projection stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FusedOrder {
    /// All queries, all keys, all values.
    Parts,
    /// For each key head its queries, its key and its value.
    Groups,
    /// For each quarter of the heads their queries, their values and their keys.
    Quarters,
}

impl FusedInput {
    /// The rows of the stored matrix as the decoder wants them: all queries, all keys, all values.
    pub(super) fn matrix(
        &self,
        prefix: &str,
        spec: &AttentionSpec,
        transposed: bool,
    ) -> StoredMatrix {
        let AttentionSpec { heads, key_value_heads, head_size, .. } = *spec;
        let stored_rows = (heads + 2 * key_value_heads) * head_size;
        let name = format!("{prefix}.{}", self.name);
        match self.order {
            FusedOrder::Parts => StoredMatrix::part(name, stored_rows, 0..stored_rows, transposed),
            FusedOrder::Quarters => {
                let quarter = heads * head_size / 4;
                let rows = [0, 2, 1].into_iter().flat_map(|part| {
                    let starts = (0..4).map(move |block| (3 * block + part) * quarter);
                    starts.map(move |start| start..start + quarter)
                });
                StoredMatrix { name, stored_rows, rows: rows.collect(), transposed }
            }
            FusedOrder::Groups => {
                let queries = heads / key_value_heads * head_size;
                let group = queries + 2 * head_size;
                let of_groups = |start: usize, size: usize| {
                    let starts = (0..key_value_heads).map(move |head| head * group + start);
                    starts.map(move |start| start..start + size)
                };
                let rows = of_groups(0, queries)
                    .chain(of_groups(queries, head_size))
                    .chain(of_groups(queries + head_size, head_size))
                    .collect();
                StoredMatrix { name, stored_rows, rows, transposed }
            }
        }
    }
}

/// The names a tensor may be stored under, the usual one first.
///
/// A checkpoint saved from the model without its head lacks the first part of every name, and in one
/// that can also see, the language model is a part of its own. transformers 5.23 saves Kimi K2.5 with two further names, which it undoes when it
/// loads.
pub(super) fn spellings(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let rest = name.strip_prefix("model.");
    let whole = name.strip_prefix("lm_head.").map(|_| name).or(rest.map(|_| name));
    let inside = |usual: &str, other: &str| {
        name.strip_prefix(usual).map(|rest| Cow::Owned(format!("{other}{rest}")))
    };
    [
        Some(Cow::Borrowed(name)),
        name.split_once('.').map(|(_, rest)| Cow::Borrowed(rest)),
        rest.map(|rest| Cow::Owned(format!("model.language_model.{rest}"))),
        rest.map(|rest| Cow::Owned(format!("model.text_model.{rest}"))),
        whole.map(|whole| Cow::Owned(format!("language_model.{whole}"))),
        inside("model.layers.", "language_model.model.blocks."),
        inside("vision_tower.patch_embed.", "vision_tower.encoder.patch_embed."),
    ]
    .into_iter()
    .flatten()
}

/// The names Llama introduced and most families kept.
pub const LLAMA: TensorNames = TensorNames {
    embedding: "model.embed_tokens",
    embedding_out: "model.project_in",
    head_in: "model.project_out",
    positions: "model.embed_positions",
    embedding_norm: "model.embed_norm",
    layers: "model.layers",
    final_norm: "model.norm",
    head: "lm_head",
    layer: LayerNames {
        fused_input: None,
        query: "self_attn.q_proj",
        key: "self_attn.k_proj",
        value: "self_attn.v_proj",
        output: "self_attn.o_proj",
        query_norm: "self_attn.q_norm",
        key_norm: "self_attn.k_norm",
        fused_gate_up: None,
        gate: "mlp.gate_proj",
        up: "mlp.up_proj",
        down: "mlp.down_proj",
        activation: "mlp.act_fn",
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
        transposed: false,
    },
    ignored: &[],
};

/// Experts in files of most families.
pub const SINGLE_EXPERTS: ExpertNames = ExpertNames {
    router: "mlp.gate",
    correction: "mlp.gate.e_score_correction_bias",
    correction_is_row: false,
    experts: "mlp.experts",
    storage: ExpertStorage::Single(["gate_proj", "up_proj", "down_proj"]),
    shared_gate_up: None,
    shared: [
        "mlp.shared_experts.gate_proj",
        "mlp.shared_experts.up_proj",
        "mlp.shared_experts.down_proj",
    ],
    shared_weight: "mlp.shared_expert_gate",
};

/// Experts as transformers 5 keeps them in memory.
pub const STACKED_EXPERTS: ExpertNames =
    ExpertNames { storage: ExpertStorage::Stacked(STACKED), ..SINGLE_EXPERTS };

/// The stacks of experts in transformers 5.
pub const STACKED: [&str; 2] = ["gate_up_proj", "down_proj"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_for_with_and_without_what_stands_around_the_model() {
        let of = |name: &'static str| spellings(name).collect::<Vec<_>>();
        assert_eq!(of("transformer.wte.weight"), ["transformer.wte.weight", "wte.weight"]);
        assert_eq!(
            of("model.norm.weight"),
            [
                "model.norm.weight",
                "norm.weight",
                "model.language_model.norm.weight",
                "model.text_model.norm.weight",
                "language_model.model.norm.weight",
            ]
        );
        assert!(of("model.layers.1.mlp").contains(&"language_model.model.blocks.1.mlp".into()));
    }
}
