//! Qwen 2 and 2.5 VL: the language model, a Qwen 2, of a model that can also see.
//!
//! Its positions have three parts, time, height and width, each of which rotates some of a head's
//! pairs. In text the three are the same number, which makes them the positions of Qwen 2.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, multimodal, qwen2};
use crate::model::error::ModelError;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 152_064,
    hidden_size: 8192,
    feed_forward_size: 29_568,
    layers: 80,
    heads: 64,
    key_value_heads: Some(8),
    theta: 1_000_000.0,
    norm_epsilon: 1e-5,
    context_tokens: 32_768,
    ..Defaults::LLAMA
};

/// Reads a Qwen2-VL or Qwen2.5-VL config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    // Published files have the fields of the language model beside those of the tower.
    let text = match config.object("text_config")? {
        None => config.clone(),
        Some(text) => {
            let tied = text.flag_or("tie_word_embeddings", false)?
                || config.flag_or("tie_word_embeddings", false)?;
            text.with("tie_word_embeddings", json!(tied))
        }
    };
    let text = ["rope_scaling", "rope_parameters"]
        .into_iter()
        .fold(text, |text, object| {
            text.respelled(object, "type", &["mrope"], "default").respelled(
                object,
                "rope_type",
                &["mrope"],
                "default",
            )
        })
        .without(&["head_dim"])
        .filled([("max_window_layers", json!(80))]);
    let mut description = qwen2::describe_with(&text, &DEFAULTS)?;
    multimodal::apply_axes(&text, &mut description.spec, [16, 24, 24], false)?;
    Ok(multimodal::beside_towers(description))
}
