//! Llama, and what is written as Llama: Mistral with windows, and Mixtral.

use serde_json::json;

use super::Fields;
use super::source::Source;
use crate::model::error::ModelError;

/// Adds the fields of whichever it is.
pub(super) fn add(source: &Source<'_>, fields: &mut Fields) -> Result<(), ModelError> {
    let window_tokens = source.count("attention.sliding_window")?;
    let experts = source.count("expert_count")?;
    let mut set = |field: &str, value| fields.insert(field.to_owned(), value);
    match (experts, window_tokens) {
        (Some(_), _) => drop(set("model_type", json!("mixtral"))),
        (None, Some(_)) => drop(set("model_type", json!("mistral"))),
        (None, None) => {}
    }
    set("sliding_window", json!(window_tokens));
    let chosen = source.count("expert_used_count")?;
    if let Some(experts) = experts {
        set("num_local_experts", json!(experts));
        let chosen =
            chosen.ok_or_else(|| source.expected("expert_used_count", "a whole number above 0"))?;
        set("num_experts_per_tok", json!(chosen));
    }
    Ok(())
}
