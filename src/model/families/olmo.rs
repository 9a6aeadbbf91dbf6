//! `OLMo` 1: layer norms without weights.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::spec::NormSpec;

/// Transformers fixes ε for this family.
const NORM_EPSILON: f64 = 1e-5;

const DEFAULTS: Defaults = Defaults { vocabulary_size: 50_304, ..Defaults::LLAMA };

/// Reads an `OLMo` config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let Description { mut spec, names } = llama::describe_with(config, &DEFAULTS)?;
    if config.get("clip_qkv").is_some() {
        let input_limit = config.positive("clip_qkv")?;
        for layer in &mut spec.layers {
            layer.attention.input_limit = Some(input_limit);
        }
    }
    spec.set_norms(NormSpec::Layer {
        epsilon: NORM_EPSILON,
        weight: false,
        weight_offset: 0.0,
        bias: false,
    });
    Ok(Description { spec, names })
}
