//! `mgsm`: the number of an answer in one of eleven languages.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Processed, blank::strip, python_regex::PythonRegex};

/// The parameters of `mgsm_postprocess`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    lang: Language,
}

/// The languages of the data set.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Language {
    En,
    Bn,
    De,
    Es,
    Fr,
    Ja,
    Ru,
    Sw,
    Te,
    Th,
    Zh,
}

impl Language {
    /// The word that answers begin with.
    fn introduction(self) -> &'static str {
        match self {
            Self::En => "Answer",
            Self::Bn => "উত্তর",
            Self::De => "Antwort",
            Self::Es => "Respuesta",
            Self::Fr => "Réponse",
            Self::Ja => "答え",
            Self::Ru => "Ответ",
            Self::Sw => "Jibu",
            Self::Te => "సమాధానం",
            Self::Th => "คำตอบ",
            Self::Zh => "答案",
        }
    }
}

/// The last number behind the last introduction, without commas, or nothing.
pub(super) fn process(parameters: &Parameters, text: &str) -> Processed {
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\d+\.?\d*"));
    let Some((_, answer)) = text.rsplit_once(parameters.lang.introduction()) else {
        return Ok("".into());
    };
    let answer = strip(answer).replace(',', "");
    Ok(NUMBER.last(&answer)?.unwrap_or_default().trim_end_matches('.').into())
}
