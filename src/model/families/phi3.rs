//! Phi 3 and 4: Llama with fused projections, an optional window and partly rotated heads.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, multimodal};
use crate::model::error::ModelError;
use crate::model::names::{self, FusedInput, FusedOrder, LayerNames, TensorNames};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 32_064,
    hidden_size: 3072,
    feed_forward_size: 8192,
    norm_epsilon: 1e-5,
    context_tokens: 4096,
    ..Defaults::LLAMA
};

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        fused_input: Some(FusedInput { name: "self_attn.qkv_proj", order: FusedOrder::Parts }),
        fused_gate_up: Some("mlp.gate_up_proj"),
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads the config of Phi 4 Multimodal, whose fields of the language model stand beside those of the towers.
///
/// Published files add low-rank changes for images to every layer; those are refused by the names of their tensors.
pub(super) fn describe_beside_vision(config: &Config) -> Result<Description, ModelError> {
    let config = config.filled([
        ("vocab_size", json!(200_064)),
        ("num_key_value_heads", json!(8)),
        ("max_position_embeddings", json!(131_072)),
    ]);
    Ok(multimodal::beside_towers(describe(&config)?))
}

/// Reads a Phi 3 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    // What this family calls so is longrope.
    let config = &["rope_scaling", "rope_parameters"]
        .into_iter()
        .fold(config.clone(), |config, object| {
            config.respelled(object, "type", &["su", "yarn"], "longrope").respelled(
                object,
                "rope_type",
                &["su", "yarn"],
                "longrope",
            )
        })
        .filled([
            ("max_position_embeddings", json!(4096)),
            ("original_max_position_embeddings", json!(4096)),
        ]);
    let mut spec = llama::base(config, &DEFAULTS)?;
    let window_tokens = config.optional_count("sliding_window")?;
    for layer in &mut spec.layers {
        layer.attention.window_tokens = window_tokens;
    }
    Ok(Description { spec, names: NAMES })
}
