//! The language of a metric of `LongBench`.

use serde::Deserialize;

use crate::config::{Component, ConfigError};

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
}
