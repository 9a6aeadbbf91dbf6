//! Phi 3 and 4: Llama with fused projections, an optional window and partly rotated heads.

use super::config::Config;
use super::llama::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, FusedInput, FusedOrder, LayerNames, TensorNames};

const DEFAULTS: Defaults = Defaults { norm_epsilon: 1e-5, context_tokens: 4096, ..Defaults::LLAMA };

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        fused_input: Some(FusedInput { name: "self_attn.qkv_proj", order: FusedOrder::Parts }),
        fused_gate_up: Some("mlp.gate_up_proj"),
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads a Phi 3 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    let window_tokens = config.optional_count("sliding_window")?;
    for layer in &mut spec.layers {
        layer.attention.window_tokens = window_tokens;
    }
    Ok(Description { spec, names: NAMES })
}
