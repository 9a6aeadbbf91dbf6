//! Qwen 3 with experts in every layer.

use serde_json::json;

use super::Fields;
use super::source::Source;
use crate::model::error::ModelError;

/// Adds the fields of experts.
pub(super) fn add(source: &Source<'_>, fields: &mut Fields) -> Result<(), ModelError> {
    let mut set = |field: &str, value| fields.insert(field.to_owned(), value);
    for (key, field) in [
        ("expert_count", "num_experts"),
        ("expert_used_count", "num_experts_per_tok"),
        ("expert_feed_forward_length", "moe_intermediate_size"),
    ] {
        set(field, json!(source.required::<usize>(key)?));
    }
    // What llama.cpp takes for this architecture.
    set("norm_topk_prob", json!(source.optional("expert_weights_norm")?.unwrap_or(true)));
    Ok(())
}
