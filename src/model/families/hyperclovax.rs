//! `HyperCLOVA` X: Granite with norms on what branches add, and logits multiplied instead of divided.

use super::config::Config;
use super::{Description, granite};
use crate::model::error::ModelError;
use crate::model::names::{self, LayerNames, TensorNames};
use crate::model::spec::LayerNorms;

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        after_attention: "post_norm1",
        after_feed_forward: "post_norm2",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads a `HyperCLOVA` X config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = granite::describe(config)?.spec;
    spec.head.scale = Some(config.number_or("logits_scaling", 1.0)?);
    let score_scale = config.optional_number("attention_multiplier")?;
    let norms_after = config.flag_or("use_post_norm", true)?;
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        let usual = (layer.attention.head_size as f64).sqrt().recip();
        layer.attention.scale = score_scale.unwrap_or(usual);
        if norms_after {
            layer.norms = LayerNorms::around(norm);
        }
    }
    Ok(Description { spec, names: NAMES })
}
