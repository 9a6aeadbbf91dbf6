//! The part of `generation_config.json` that matters for greedy decoding, or of a GGUF file's
//! metadata.

use std::path::Path;

use serde_json::{Map, Value};

use super::error::ModelError;
use super::gguf::Metadata;
use super::json;

/// Defaults a checkpoint's authors set for generation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GenerationConfig {
    /// Tokens that end a generation.
    pub eos_ids: Vec<u32>,
    /// How the authors sample, as their file says it; nothing is sampled unless a config asks for it.
    pub suggested: Map<String, Value>,
}

/// Fields about sampling that are shown.
const SUGGESTIONS: &[&str] = &[
    "do_sample",
    "temperature",
    "top_k",
    "top_p",
    "min_p",
    "repetition_penalty",
    "max_new_tokens",
];

impl GenerationConfig {
    /// Reads `generation_config.json` of `folder`, and `model`, its `config.json`, where that is
    /// silent.
    pub fn read(folder: &Path, model: &Value) -> Result<Self, ModelError> {
        let path = folder.join("generation_config.json");
        let own = json::read_optional(&path)?;
        // A model that also sees has it in the config of its language model.
        let of_text = || present(model.get("text_config")?, "eos_token_id");
        let (path, field) = match own.as_ref().and_then(|own| present(own, "eos_token_id")) {
            Some(field) => (path, Some(field)),
            None => (folder.join("config.json"), present(model, "eos_token_id").or_else(of_text)),
        };
        let ids = match field {
            None => Vec::new(),
            Some(Value::Array(ids)) => ids.iter().collect(),
            Some(id) => vec![id],
        };
        let eos_ids = ids
            .into_iter()
            .map(|id| {
                id.as_u64().and_then(|id| u32::try_from(id).ok()).ok_or_else(|| {
                    ModelError::Config {
                        path: path.clone(),
                        problem: format!(
                            "`eos_token_id` should be a token id or a list of them, found {id}"
                        ),
                    }
                })
            })
            .collect::<Result<_, _>>()?;
        let suggested = SUGGESTIONS.iter().filter_map(|&field| {
            let value = own.as_ref().and_then(|own| present(own, field))?;
            Some((field.to_owned(), value.clone()))
        });
        Ok(Self { eos_ids, suggested: suggested.collect() })
    }

    /// Reads the tokens that end a text, a turn or a message.
    pub fn from_gguf(metadata: &Metadata) -> Result<Self, ModelError> {
        let mut eos_ids = Vec::new();
        for kind in ["eos", "eot", "eom"] {
            let id = metadata.optional(&format!("tokenizer.ggml.{kind}_token_id"))?;
            eos_ids.extend(id.filter(|id| !eos_ids.contains(id)));
        }
        Ok(Self { eos_ids, ..Self::default() })
    }
}

fn present<'a>(object: &'a Value, field: &str) -> Option<&'a Value> {
    object.get(field).filter(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_ends_a_text_is_said_beside_the_model_or_in_its_config() {
        let folder = tempfile::tempdir().unwrap();
        let ids = |model| GenerationConfig::read(folder.path(), &model).unwrap().eos_ids;
        assert_eq!(ids(json!({"eos_token_id": 3, "text_config": {"eos_token_id": 4}})), [3]);
        assert_eq!(ids(json!({"text_config": {"eos_token_id": [4, 5]}})), [4, 5]);
        let own = json!({"eos_token_id": 6}).to_string();
        std::fs::write(folder.path().join("generation_config.json"), own).unwrap();
        assert_eq!(ids(json!({"eos_token_id": 3})), [6]);
    }
}
