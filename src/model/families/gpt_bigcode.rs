//! `StarCoder` 1 and `SantaCoder`: GPT-2 with one key head for all query heads, and matrices the usual way
//! round.

use super::config::Config;
use super::{Description, gpt2};
use crate::model::error::ModelError;
use crate::model::names::{FusedInput, FusedOrder, LayerNames, TensorNames};

/// One key head.
const NAMES: TensorNames =
    TensorNames { layer: LayerNames { transposed: false, ..gpt2::NAMES.layer }, ..gpt2::NAMES };

/// A key head for every query head.
const NAMES_OF_MANY: TensorNames = TensorNames {
    layer: LayerNames {
        fused_input: Some(FusedInput { name: "attn.c_attn", order: FusedOrder::Groups }),
        ..NAMES.layer
    },
    ..NAMES
};

/// Reads a `GPTBigCode` config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let one_key_head = config.flag_or("multi_query", true)?;
    let mut spec = gpt2::describe(&config.without(&["scale_attn_by_inverse_layer_idx"]))?.spec;
    if one_key_head {
        for layer in &mut spec.layers {
            layer.attention.key_value_heads = 1;
        }
    }
    Ok(Description { spec, names: if one_key_head { NAMES } else { NAMES_OF_MANY } })
}
