//! Dense Hunyuan: Llama with a norm on every query and key head, after the rotation.

use super::config::Config;
use super::llama::Defaults;
use super::{Description, llama, rotary};
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

const DEFAULTS: Defaults = Defaults { norm_epsilon: 1e-5, ..Defaults::LLAMA };

/// Reads a dense Hunyuan config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::describe_with(config, &DEFAULTS)?.spec;
    let norm = spec.final_norm;
    let theta_factor = theta_factor(config)?;
    for layer in &mut spec.layers {
        if let (Some(rotary), Some(factor)) = (&mut layer.attention.rotary, theta_factor) {
            let size = layer.attention.head_size as f64;
            rotary.theta *= factor.powf(size / (size - 2.0));
        }
        layer.attention.query_key_norm = Some(QueryKeyNorm {
            norm,
            span: QueryKeyNormSpan::Head,
            order: QueryKeyNormOrder::AfterRotary,
        });
    }
    Ok(Description { spec, names: NAMES })
}

/// `alpha`, which under the name of `dynamic` stretches the base of the frequencies once and for
/// all.
fn theta_factor(config: &Config) -> Result<Option<f64>, ModelError> {
    let Some(parameters) = rotary::parameters(config)? else { return Ok(None) };
    let field = if parameters.get("rope_type").is_some() { "rope_type" } else { "type" };
    if parameters.text(field)? != Some("dynamic") {
        return Ok(None);
    }
    Ok(parameters.optional_number("alpha")?.filter(|alpha| *alpha > 0.0))
}
