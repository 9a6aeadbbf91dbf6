//! Rotary positions.

use serde_json::json;

use super::Fields;
use super::source::Source;
use crate::model::error::ModelError;

/// What llama.cpp takes where a file does not say.
const DEFAULT_BASE: f64 = 10_000.0;

/// Adds the fields of rotary positions of heads of `head_size` numbers.
pub(super) fn add(
    source: &Source<'_>,
    head_size: usize,
    fields: &mut Fields,
) -> Result<(), ModelError> {
    let mut set = |field: &str, value| fields.insert(field.to_owned(), value);
    let base = source.optional::<f64>("rope.freq_base")?.unwrap_or(DEFAULT_BASE);
    set("rope_theta", json!(base));
    if let Some(rotated) = source.count("rope.dimension_count")?.filter(|&size| size != head_size) {
        if rotated > head_size {
            return Err(source.expected("rope.dimension_count", "at most the width of a head"));
        }
        // The product with the head's width is cut to a whole number, and must not fall short of it.
        set("partial_rotary_factor", json!((rotated as f64 + 0.5) / head_size as f64));
    }
    let factor = source.optional::<f64>("rope.scaling.factor")?;
    let old_factor = source.optional::<f64>("rope.scale_linear")?;
    let factor = factor.or(old_factor).filter(|&factor| factor > 0.0);
    let original_tokens = source.count("rope.scaling.original_context_length")?;
    let scaling = match source.optional::<&str>("rope.scaling.type")? {
        None | Some("linear") => factor.map(|factor| json!({"type": "linear", "factor": factor})),
        Some("none") => None,
        Some("yarn") => {
            let Some(factor) = factor else {
                return Err(source.expected("rope.scaling.factor", "a number above zero"));
            };
            let mut scaling = json!({"type": "yarn", "factor": factor});
            for (key, field) in [
                ("rope.scaling.yarn_beta_fast", "beta_fast"),
                ("rope.scaling.yarn_beta_slow", "beta_slow"),
            ] {
                if let Some(turns) = source.optional::<f64>(key)? {
                    scaling[field] = json!(turns);
                }
            }
            if let Some(tokens) = original_tokens {
                scaling["original_max_position_embeddings"] = json!(tokens);
            }
            Some(scaling)
        }
        // The factors are tensors.
        Some("longrope") if source.has_tensor("rope_factors_long.weight") => None,
        Some(_) => return Err(source.unsupported("rope.scaling.type")),
    };
    if let Some(scaling) = scaling {
        set("rope_scaling", scaling);
    }
    Ok(())
}
