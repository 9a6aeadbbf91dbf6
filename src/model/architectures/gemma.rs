//! The second and third generation of Gemma.

use serde_json::{Value, json};

use super::Fields;
use super::source::Source;
use crate::model::error::ModelError;
use crate::model::gguf;

/// Layers of the largest model of each generation, whose queries are scaled by the share of the hidden
/// size that each head has instead of by the width of a head. Files do not say so; llama.cpp
/// recognises it by this.
const LARGEST_LAYERS: [usize; 2] = [46, 62];

/// Adds the fields of the second generation.
pub(super) fn add_2(source: &Source<'_>, fields: &mut Fields) -> Result<(), ModelError> {
    add_later(source, fields, LARGEST_LAYERS[0])?;
    let mut set = |field: &str, value| fields.insert(field.to_owned(), value);
    let cap = source.optional::<f64>("attn_logit_softcapping")?.unwrap_or(50.0);
    set("attn_logit_softcapping", json!(cap));
    let cap = source.optional::<f64>("final_logit_softcapping")?.unwrap_or(30.0);
    set("final_logit_softcapping", json!(cap));
    set("sliding_window", json!(source.count("attention.sliding_window")?.unwrap_or(4096)));
    Ok(())
}

/// Adds the fields of the third generation.
pub(super) fn add_3(source: &Source<'_>, fields: &mut Fields) -> Result<(), ModelError> {
    add_later(source, fields, LARGEST_LAYERS[1])?;
    let layers = source.required::<usize>("block_count")?;
    let mut set = |field: &str, value| fields.insert(field.to_owned(), value);
    let cap = source.optional::<f64>("final_logit_softcapping")?;
    set("final_logit_softcapping", json!(cap));
    let base = source.optional::<f64>("rope.freq_base_swa")?.unwrap_or(10_000.0);
    set("rope_local_base_freq", json!(base));
    let key = "attention.sliding_window_pattern";
    let interval = match source.get(key) {
        Some(gguf::Value::List(_)) => None,
        _ => Some(source.count(key)?.unwrap_or(6)),
    };
    match source.count("attention.sliding_window")? {
        Some(window_tokens) => {
            set("sliding_window", json!(window_tokens));
            match interval {
                Some(interval) => set("sliding_window_pattern", json!(interval)),
                None => set("layer_types", layer_types(source.required::<&[bool]>(key)?)),
            };
        }
        // No layer has a window.
        None => drop(set("layer_types", layer_types(&vec![false; layers.min(10_000)]))),
    }
    Ok(())
}

fn layer_types(windows: &[bool]) -> Value {
    let of = |&window: &bool| if window { "sliding_attention" } else { "full_attention" };
    windows.iter().map(of).collect()
}

/// Adds what both later generations share. `largest_layers` are the layers of the largest model.
fn add_later(
    source: &Source<'_>,
    fields: &mut Fields,
    largest_layers: usize,
) -> Result<(), ModelError> {
    let head_size = source.head_size()?;
    let scalar = if let Some(scale) = source.optional::<f64>("attention.scale")? {
        scale.powi(-2)
    } else if source.required::<usize>("block_count")? == largest_layers {
        let hidden_size = source.required::<usize>("embedding_length")?;
        (hidden_size / source.required::<usize>("attention.head_count")?.max(1)) as f64
    } else {
        head_size as f64
    };
    fields.insert("query_pre_attn_scalar".to_owned(), json!(scalar));
    Ok(())
}
