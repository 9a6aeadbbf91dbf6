//! `CodeGen`: GPT-J with one matrix for queries, values and keys, in four blocks of the heads.

use super::config::Config;
use super::{Description, gptj};
use crate::model::error::ModelError;
use crate::model::names::{FusedInput, FusedOrder, LayerNames, TensorNames};

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        fused_input: Some(FusedInput { name: "attn.qkv_proj", order: FusedOrder::Quarters }),
        ..gptj::NAMES.layer
    },
    ignored: &[".attn.causal_mask"],
    ..gptj::NAMES
};

/// Reads a `CodeGen` config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let spec = gptj::describe(config)?.spec;
    if spec.layers.iter().any(|layer| !layer.attention.heads.is_multiple_of(4)) {
        return Err(config.expected("n_head", "a multiple of 4"));
    }
    Ok(Description { spec, names: NAMES })
}
