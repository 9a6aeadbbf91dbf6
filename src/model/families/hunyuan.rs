//! Dense Hunyuan: Llama with a norm on every query and key head, after the rotation.

use super::config::Config;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::{QueryKeyNorm, QueryKeyNormOrder, QueryKeyNormSpan};

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        query_norm: "self_attn.query_layernorm",
        key_norm: "self_attn.key_layernorm",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads a dense Hunyuan config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::describe(config)?.spec;
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        layer.attention.query_key_norm = Some(QueryKeyNorm {
            norm,
            span: QueryKeyNormSpan::Head,
            order: QueryKeyNormOrder::AfterRotary,
        });
    }
    Ok(Description { spec, names: NAMES })
}
