//! How wide the rows are that a decoder reads.

use crate::model::error::ModelError;
use crate::model::families::{Config, FAMILIES};

/// The hidden size of the decoder that `text_config` describes; where it is not said, that of its family.
///
/// `LLaVA` 1.5 does not say it.
pub(super) fn text_size(config: &Config) -> Result<usize, ModelError> {
    let Some(text) = config.object("text_config")? else {
        return Err(config.expected("text_config", "the config of the language model"));
    };
    if let Some(size) = text.optional_count("hidden_size")? {
        return Ok(size);
    }
    let family = text.text("model_type")?.and_then(|name| FAMILIES.find(name));
    match family {
        Some(family) => Ok((family.value)(&text)?.spec.hidden_size),
        None => Err(text.expected("hidden_size", "a positive whole number")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;

    fn size(text: &Value) -> Result<usize, String> {
        let config = Config::new(Path::new("config.json"), json!({"text_config": text})).unwrap();
        text_size(&config).map_err(|error| error.to_string())
    }

    #[test]
    fn a_size_that_is_not_said_is_that_of_the_family() {
        assert_eq!(size(&json!({"hidden_size": 32})), Ok(32));
        // As LLaVA 1.5 has it.
        let llama = json!({"model_type": "llama", "max_position_embeddings": 4096, "rms_norm_eps": 1e-5, "vocab_size": 32_064});
        assert_eq!(size(&llama), Ok(4096));
        for unknown in [json!({}), json!({"model_type": "nobody's"}), json!(null)] {
            let refusal = size(&unknown).unwrap_err();
            assert!(refusal.contains("text_config"), "{refusal}");
        }
    }
}
