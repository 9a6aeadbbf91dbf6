//! What becomes of a text before it is ids: prompts, lower case, and where it is cut.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;

use super::network::CheckedNetwork;
use crate::model::{error::ModelError, json, tokenizer::Tokenizer};

/// The file of a transformer module; it was called after the kind of transformer once.
const TEXT_FILES: &[&str] = &[
    "sentence_bert_config.json",
    "sentence_roberta_config.json",
    "sentence_distilbert_config.json",
    "sentence_camembert_config.json",
    "sentence_albert_config.json",
    "sentence_xlm-roberta_config.json",
    "sentence_xlnet_config.json",
];

const PROMPTS_FILE: &str = "config_sentence_transformers.json";

/// How texts become ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextSettings {
    /// Most tokens of a text, special ones included.
    pub(super) most_tokens: usize,
    /// Whether texts are made lower case before anything else.
    pub(super) lower_case: bool,
}

#[derive(Default, Deserialize)]
struct TextFile {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
    /// What the transformer reads and gives; only texts and tokens are known here.
    modality_config: Option<serde_json::Value>,
}

impl TextSettings {
    /// Reads the settings of the transformer in a folder.
    pub(super) fn read(
        folder: &Path,
        tokenizer: &Tokenizer,
        network: &CheckedNetwork,
    ) -> Result<Self, ModelError> {
        let mut found = TextFile::default();
        for name in TEXT_FILES {
            let path = folder.join(name);
            if let Some(value) = json::read_optional(&path)? {
                found = parsed(&path, value)?;
                if let Some(modality) = &found.modality_config
                    && modality
                        .as_object()
                        .is_none_or(|kinds| kinds.keys().any(|kind| kind != "text"))
                {
                    let what = format!("modality_config = {modality}");
                    return Err(ModelError::Unsupported { path, what });
                }
                break;
            }
        }
        let limit = tokenizer.settings().most_tokens;
        let wanted = found.max_seq_length.or(limit).unwrap_or(usize::MAX);
        // Beyond its positions the transformer reads nothing: sentence-transformers stops with an error there.
        let most_tokens = wanted.min(network.most_tokens());
        Ok(Self { most_tokens, lower_case: found.do_lower_case })
    }
}

/// The texts that an encoder wants before others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prompts {
    prompts: BTreeMap<String, String>,
    default_name: Option<String>,
}

#[derive(Default, Deserialize)]
struct PromptsFile {
    #[serde(default)]
    prompts: Option<BTreeMap<String, String>>,
    #[serde(default)]
    default_prompt_name: Option<String>,
}

impl Prompts {
    /// Reads the prompts of an encoder's folder.
    pub(super) fn read(folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join(PROMPTS_FILE);
        let found: PromptsFile = match json::read_optional(&path)? {
            None => PromptsFile::default(),
            Some(value) => parsed(&path, value)?,
        };
        let prompts = found.prompts.unwrap_or_default();
        if let Some(name) = &found.default_prompt_name
            && !prompts.contains_key(name)
        {
            return Err(ModelError::Config {
                path,
                problem: format!("default_prompt_name {name:?} is none of the prompts"),
            });
        }
        Ok(Self { prompts, default_name: found.default_prompt_name })
    }

    /// The one that is used where none is named.
    pub(super) fn default_prompt(&self) -> Option<&str> {
        self.get(self.default_name.as_deref()?)
    }

    /// The one of a name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.prompts.get(name).map(String::as_str)
    }
}

/// A file's JSON as what it must be.
pub(super) fn parsed<T: for<'de> Deserialize<'de>>(
    path: &Path,
    value: serde_json::Value,
) -> Result<T, ModelError> {
    serde_json::from_value(value)
        .map_err(|error| ModelError::Config { path: path.to_owned(), problem: error.to_string() })
}
