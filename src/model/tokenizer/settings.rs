//! `tokenizer_config.json` and its companions.

use std::path::Path;

use serde_json::{Map, Value};

use crate::model::error::ModelError;
use crate::model::json;

/// Tokenizer classes of transformers that build their own post-processor from the two switches
/// `add_bos_token` and `add_eos_token`.
const SELF_TEMPLATING_CLASSES: &[&str] = &[
    "CodeLlamaTokenizer",
    "CodeLlamaTokenizerFast",
    "GemmaTokenizer",
    "GemmaTokenizerFast",
    "LlamaTokenizer",
    "LlamaTokenizerFast",
];

/// Fields that hold special tokens, which chat templates know by these names.
const SPECIAL_TOKENS: &[&str] = &[
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
    "additional_special_tokens",
];

/// What transformers lays on top of `tokenizer.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenizerSettings {
    /// The token that begins a sequence.
    pub bos_token: Option<String>,
    /// The token that ends a sequence.
    pub eos_token: Option<String>,
    /// The token that pads a sequence.
    pub pad_token: Option<String>,
    /// These and all other special tokens, by the names under which chat templates know them.
    pub special_tokens: Map<String, Value>,
    /// The side on which text is cut by default.
    pub truncation_side: TruncationSide,
    /// `model_max_length`, in tokens; `None` where the authors set no limit.
    pub most_tokens: Option<usize>,
    /// Decoded text loses the space before punctuation.
    pub clean_up_spaces: bool,
    /// Chat templates by name; the one without a name is `default`.
    pub chat_templates: Vec<(String, String)>,
    class: Option<String>,
    add_bos: Option<bool>,
    add_eos: Option<bool>,
    add_prefix_space: Option<bool>,
    legacy: Option<bool>,
    /// Whether the tokenizer's file has no post-processor, which would say what stands around a sequence.
    decides_sequence_tokens: bool,
}

/// The side on which text is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TruncationSide {
    /// The beginning is lost.
    Left,
    /// The end is lost.
    #[default]
    Right,
}

/// Which special tokens stand around a sequence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SequenceTokens {
    pub(super) bos: bool,
    pub(super) eos: bool,
}

impl TokenizerSettings {
    /// Reads the settings of a checkpoint; all its files are optional.
    pub fn read(folder: &Path) -> Result<Self, ModelError> {
        let config =
            json::read_optional(&folder.join("tokenizer_config.json"))?.unwrap_or_default();
        let special =
            json::read_optional(&folder.join("special_tokens_map.json"))?.unwrap_or_default();
        Ok(Self::from_json(&config, &special))
    }

    /// Reads a `tokenizer_config.json`, whatever its name, without its companions.
    pub fn read_file(path: &Path) -> Result<Self, ModelError> {
        Ok(Self::from_json(&json::read(path)?, &Value::Null))
    }

    /// What the JSON of `tokenizer_config.json` and of its older companion says.
    pub(super) fn from_json(config: &Value, special: &Value) -> Self {
        // `special_tokens_map.json` is older and says the same; where they differ the config wins.
        let token = |kind: &str| token(&config[kind]).or_else(|| token(&special[kind]));
        Self {
            bos_token: token("bos_token"),
            eos_token: token("eos_token"),
            pad_token: token("pad_token"),
            special_tokens: SPECIAL_TOKENS
                .iter()
                .filter_map(|kind| {
                    let tokens = tokens(&config[*kind]).or_else(|| tokens(&special[*kind]))?;
                    Some(((*kind).to_owned(), tokens))
                })
                .collect(),
            truncation_side: match config["truncation_side"].as_str() {
                Some("left") => TruncationSide::Left,
                _ => TruncationSide::Right,
            },
            // Files without a limit hold 1e30.
            most_tokens: config["model_max_length"]
                .as_u64()
                .filter(|&most| most < u64::from(u32::MAX))
                .map(|most| most as usize),
            clean_up_spaces: config["clean_up_tokenization_spaces"].as_bool().unwrap_or(false),
            chat_templates: chat_templates(&config["chat_template"]),
            class: config["tokenizer_class"].as_str().map(str::to_owned),
            add_bos: config["add_bos_token"].as_bool(),
            add_eos: config["add_eos_token"].as_bool(),
            add_prefix_space: config["add_prefix_space"].as_bool(),
            legacy: config["legacy"].as_bool(),
            decides_sequence_tokens: false,
        }
    }

    /// Takes over what a tokenizer's file says about special tokens, by the names of the settings, where
    /// these say nothing. Such a file has no post-processor, so the settings decide what stands around a
    /// sequence.
    pub(super) fn fill(&mut self, special_tokens: Vec<(&'static str, String)>) {
        self.decides_sequence_tokens = true;
        for (name, token) in special_tokens {
            if self.special_tokens.contains_key(name) {
                continue;
            }
            match name {
                "bos_token" => self.bos_token = Some(token.clone()),
                "eos_token" => self.eos_token = Some(token.clone()),
                "pad_token" => self.pad_token = Some(token.clone()),
                _ => {}
            }
            self.special_tokens.insert(name.to_owned(), token.into());
        }
    }

    /// The special tokens around a sequence, if not the tokenizer's file decides them. A checkpoint that
    /// names no class is taken for one of those that begin with BOS, as transformers does with the
    /// families that have a `tokenizer.model`.
    pub(super) fn sequence_tokens(&self) -> Option<SequenceTokens> {
        let is_self_templating =
            self.class.as_deref().map(|class| SELF_TEMPLATING_CLASSES.contains(&class));
        let begins_with_bos = match is_self_templating {
            Some(true) => true,
            _ if !self.decides_sequence_tokens => return None,
            is_known => is_known.is_none(),
        };
        Some(SequenceTokens {
            bos: self.add_bos.unwrap_or(begins_with_bos),
            eos: self.add_eos.unwrap_or(false),
        })
    }

    /// Whether a space is put in front of texts, if that is said.
    pub(super) fn add_prefix_space(&self) -> Option<bool> {
        self.add_prefix_space
    }

    /// Whether text behind an added token gets a space in front, as in Llama's first tokenizers.
    pub(super) fn is_legacy(&self) -> bool {
        self.legacy.unwrap_or(true)
    }

    /// The texts of all special tokens.
    pub(super) fn special_token_texts(&self) -> impl Iterator<Item = String> {
        let each = |value: &Value| match value {
            Value::Array(tokens) => tokens.clone(),
            token => vec![token.clone()],
        };
        let tokens = self.special_tokens.values().flat_map(each);
        tokens.filter_map(|token| token.as_str().map(str::to_owned))
    }
}

/// A special token: its text, or an object that holds it.
fn token(value: &Value) -> Option<String> {
    value.as_str().or_else(|| value["content"].as_str()).map(str::to_owned)
}

/// A special token, or a list of them.
fn tokens(value: &Value) -> Option<Value> {
    match value {
        Value::Array(several) => several.iter().map(|one| token(one).map(Value::from)).collect(),
        one => token(one).map(Value::from),
    }
}

fn chat_templates(value: &Value) -> Vec<(String, String)> {
    match value {
        Value::String(template) => vec![("default".to_owned(), template.clone())],
        Value::Array(named) => named
            .iter()
            .filter_map(|entry| {
                Some((entry["name"].as_str()?.to_owned(), entry["template"].as_str()?.to_owned()))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Removes the space English tokenizers leave before punctuation, as transformers'
/// `clean_up_tokenization`, in its order.
pub(super) fn clean_up_spaces(text: &str) -> String {
    [
        (" .", "."),
        (" ?", "?"),
        (" !", "!"),
        (" ,", ","),
        (" ' ", "'"),
        (" n't", "n't"),
        (" 'm", "'m"),
        (" 's", "'s"),
        (" 've", "'ve"),
        (" 're", "'re"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (spaced, tight)| text.replace(spaced, tight))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tokens_are_read_in_both_spellings_and_the_config_wins() {
        let settings = TokenizerSettings::from_json(
            &json!({"bos_token": {"content": "<s>"}, "eos_token": null, "truncation_side": "left",
                    "model_max_length": 1e30, "tokenizer_class": "LlamaTokenizerFast"}),
            &json!({"bos_token": "<x>", "eos_token": "</s>"}),
        );
        assert_eq!(settings.bos_token.as_deref(), Some("<s>"));
        assert_eq!(settings.eos_token.as_deref(), Some("</s>"));
        let special = json!({"bos_token": "<s>", "eos_token": "</s>"});
        assert_eq!(Value::Object(settings.special_tokens.clone()), special);
        assert_eq!(settings.most_tokens, None);
        assert_eq!(settings.truncation_side, TruncationSide::Left);
        let around = settings.sequence_tokens().unwrap();
        assert!(around.bos && !around.eos);
    }

    #[test]
    fn a_file_without_a_post_processor_leaves_bos_to_the_class() {
        let around = |config: Value| {
            let mut settings = TokenizerSettings::from_json(&config, &Value::Null);
            settings.fill(vec![("bos_token", "<s>".to_owned()), ("unk_token", "<unk>".to_owned())]);
            assert_eq!(settings.special_tokens["unk_token"], "<unk>");
            let around = settings.sequence_tokens().unwrap();
            (settings.bos_token.unwrap(), around.bos, around.eos)
        };
        let s = || "<s>".to_owned();
        assert_eq!(around(json!({})), (s(), true, false));
        assert_eq!(around(json!({"add_eos_token": true})), (s(), true, true));
        assert_eq!(around(json!({"tokenizer_class": "GemmaTokenizer"})), (s(), true, false));
        assert_eq!(around(json!({"tokenizer_class": "TheirTokenizer"})), (s(), false, false));
        let said = json!({"tokenizer_class": "TheirTokenizer", "add_bos_token": true,
            "bos_token": "<b>"});
        assert_eq!(around(said), ("<b>".to_owned(), true, false));
    }

    #[test]
    fn chat_templates_may_have_names() {
        let named = json!([{"name": "default", "template": "a"}, {"name": "rag", "template": "b"}]);
        let settings = TokenizerSettings::from_json(&json!({"chat_template": named}), &Value::Null);
        let named = [("default", "a"), ("rag", "b")];
        let mut found = settings.chat_templates.clone();
        found.sort();
        assert_eq!(found, named.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }

    #[test]
    fn spaces_before_punctuation_are_removed() {
        assert_eq!(clean_up_spaces("Yes , it 's fine . Is n't it ?"), "Yes, it's fine. Isn't it?");
    }
}
