//! Qwen 3: Qwen 2 with a norm on every query and key head instead of biases.

use super::config::Config;
use super::{Description, llama, qwen2};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::{QueryKeyNorm, QueryKeyNormOrder, QueryKeyNormSpan};

/// Width of a head where the config does not give it.
const DEFAULT_HEAD_SIZE: usize = 128;

/// Reads a Qwen3 config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base_with_heads_of(config, Some(DEFAULT_HEAD_SIZE))?;
    spec.context_tokens = config.count_or("max_position_embeddings", 32_768)?;
    qwen2::apply_windows(config, &mut spec)?;
    let bias = config.flag_or("attention_bias", false)?;
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.attention.query_key_norm = Some(QueryKeyNorm {
            norm,
            span: QueryKeyNormSpan::Head,
            order: QueryKeyNormOrder::BeforeRotary,
        });
    }
    Ok(Description { spec, names: names::LLAMA })
}
