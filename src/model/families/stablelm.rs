//! `StableLM` 2: layer norms, partly rotated heads, optionally parallel branches.

use super::config::Config;
use super::llama::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::NormSpec;

const DEFAULTS: Defaults =
    Defaults { context_tokens: 4096, rotated_share: 0.25, ..Defaults::LLAMA };

/// Reads a `StableLM` config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    // These norms have a weight for every single head, which a spec cannot say.
    if config.flag_or("qk_layernorm", false)? {
        return Err(config.unsupported("qk_layernorm"));
    }
    let mut spec = llama::base(config, &DEFAULTS)?;
    spec.set_norms(NormSpec::Layer {
        epsilon: config.number_or("layer_norm_eps", 1e-5)?,
        weight: true,
        weight_offset: 0.0,
        bias: true,
    });
    let input_bias = config.flag_or("use_qkv_bias", false)?;
    let parallel = config.flag_or("use_parallel_residual", false)?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = input_bias;
        if parallel {
            layer.parallel = true;
            layer.norms.before_feed_forward = None;
        }
    }
    Ok(Description { spec, names: names::LLAMA })
}
