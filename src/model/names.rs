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
    /// Learned positions.
    pub positions: &'static str,
    /// Norm on the embedded tokens.
    pub embedding_norm: &'static str,
    /// What stands before a layer's number.
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
    /// Norm on what attention reads.
    pub before_attention: &'static str,
    /// Norm on what attention adds.
    pub after_attention: &'static str,
    /// Norm on what the feed-forward reads.
    pub before_feed_forward: &'static str,
    /// Norm on what the feed-forward adds.
    pub after_feed_forward: &'static str,
    /// The matrices of a layer are stored as `(in, out)`.
    pub transposed: bool,
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
/// that can also see, the language model is a part of its own.
pub(super) fn spellings(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let rest = name.strip_prefix("model.");
    let whole = name.strip_prefix("lm_head.").map(|_| name).or(rest.map(|_| name));
    [
        Some(Cow::Borrowed(name)),
        name.split_once('.').map(|(_, rest)| Cow::Borrowed(rest)),
        rest.map(|rest| Cow::Owned(format!("model.language_model.{rest}"))),
        whole.map(|whole| Cow::Owned(format!("language_model.{whole}"))),
    ]
    .into_iter()
    .flatten()
}

/// The names Llama introduced and most families kept.
pub const LLAMA: TensorNames = TensorNames {
    embedding: "model.embed_tokens",
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
        before_attention: "input_layernorm",
        after_attention: "post_self_attn_layernorm",
        before_feed_forward: "post_attention_layernorm",
        after_feed_forward: "post_mlp_layernorm",
        transposed: false,
    },
    ignored: &[],
};

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
                "language_model.model.norm.weight",
            ]
        );
    }
}
