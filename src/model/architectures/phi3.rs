//! Phi 3 and 4.

use serde_json::json;

use super::Fields;
use super::source::Source;
use crate::model::error::ModelError;

/// Adds the fields of Phi 3.
pub(super) fn add(source: &Source<'_>, fields: &mut Fields) -> Result<(), ModelError> {
    let mut set = |field: &str, value| fields.insert(field.to_owned(), value);
    set("sliding_window", json!(source.count("attention.sliding_window")?));
    let original_tokens = source.count("rope.scaling.original_context_length")?;
    let amplitude = source.optional::<f64>("rope.scaling.attn_factor")?;
    let long = source.factors("rope_factors_long.weight")?;
    let short = source.factors("rope_factors_short.weight")?;
    let Some(original_tokens) = original_tokens else { return Ok(()) };
    set("original_max_position_embeddings", json!(original_tokens));
    if let (Some(long), Some(short)) = (long, short) {
        let scaling = json!({
            "type": "longrope",
            "long_factor": long,
            "short_factor": short,
            "attention_factor": amplitude,
        });
        set("rope_scaling", scaling);
    }
    Ok(())
}
