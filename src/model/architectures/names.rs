//! The names of tensors, the same for all architectures.

use crate::model::names::{
    ExpertNames, ExpertStorage, FusedInput, FusedOrder, LLAMA, LayerNames, SINGLE_EXPERTS,
    TensorNames,
};

/// The names of an architecture whose projections of the same input are, or are not, one matrix.
pub(super) fn of(fused: bool) -> TensorNames {
    if !fused {
        return NAMES;
    }
    TensorNames {
        layer: LayerNames {
            fused_input: Some(FusedInput { name: "attn_qkv", order: FusedOrder::Parts }),
            fused_gate_up: Some("ffn_up"),
            ..NAMES.layer
        },
        ..NAMES
    }
}

const NAMES: TensorNames = TensorNames {
    embedding: "token_embd",
    positions: "position_embd",
    embedding_norm: "token_embd_norm",
    layers: "blk",
    final_norm: "output_norm",
    head: "output",
    layer: LayerNames {
        query: "attn_q",
        key: "attn_k",
        value: "attn_v",
        output: "attn_output",
        query_norm: "attn_q_norm",
        key_norm: "attn_k_norm",
        gate: "ffn_gate",
        up: "ffn_up",
        down: "ffn_down",
        before_attention: "attn_norm",
        after_attention: "post_attention_norm",
        before_feed_forward: "ffn_norm",
        after_feed_forward: "post_ffw_norm",
        sinks: "attn_sinks.weight",
        experts: &[EXPERTS],
        ..LLAMA.layer
    },
    // Factors of rotary frequencies, which belong to the description.
    ignored: &["rope_freqs.", "rope_factors_"],
    ..LLAMA
};

const EXPERTS: ExpertNames = ExpertNames {
    router: "ffn_gate_inp",
    correction: "exp_probs_b.bias",
    storage: ExpertStorage::Apart(["ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"]),
    shared: ["ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp"],
    shared_weight: "ffn_gate_inp_shexp",
    ..SINGLE_EXPERTS
};
