//! The language of a metric of `LongBench`.

use serde::Deserialize;

use super::token_f1::{chinese_words, english_words};
use crate::{
    config::{Component, ConfigError},
    postprocess::PatternError,
};

/// What texts are cut into words by, and what their phrases are.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Language {
    #[default]
    En,
    Zh,
}

/// The parameters of a metric that reads nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    #[serde(default)]
    language: Language,
}

impl Language {
    /// Reads `language`: `en` (the default) or `zh`.
    pub(super) fn of(component: &Component) -> Result<Self, ConfigError> {
        Ok(component.read::<Parameters>()?.language)
    }

    /// The words of a text without punctuation, in lower case; no English articles.
    pub(super) fn words(self, text: &str) -> Result<Vec<String>, PatternError> {
        match self {
            Self::En => english_words(text),
            Self::Zh => chinese_words(text),
        }
    }
}
