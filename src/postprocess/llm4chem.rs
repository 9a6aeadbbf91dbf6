//! `llm4chem`: what stands in the tags of a chemical task, or what comes nearest to it.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{
    Processed, blank::strip, model_marks::without_closed_thoughts, python_regex::PythonRegex,
};

/// The parameters of `LLM4Chem_postprocess`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    task: Task,
}

/// The tasks.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
enum Task {
    #[serde(rename = "forward_synthesis")]
    ForwardSynthesis,
    #[serde(rename = "retrosynthesis")]
    Retrosynthesis,
    #[serde(rename = "molecule_captioning")]
    Captioning,
    #[serde(rename = "molecule_generation")]
    Generation,
    #[serde(rename = "name_conversion-i2f")]
    IupacToFormula,
    #[serde(rename = "name_conversion-i2s")]
    IupacToSmiles,
    #[serde(rename = "name_conversion-s2f")]
    SmilesToFormula,
    #[serde(rename = "name_conversion-s2i")]
    SmilesToIupac,
    #[serde(rename = "property_prediction-esol", alias = "property_prediction-lipo")]
    Number,
    #[serde(
        rename = "property_prediction-bbbp",
        alias = "property_prediction-clintox",
        alias = "property_prediction-hiv",
        alias = "property_prediction-sider"
    )]
    Truth,
}

impl Task {
    /// The name of its tag.
    fn tag(self) -> Option<&'static str> {
        match self {
            Self::ForwardSynthesis
            | Self::Retrosynthesis
            | Self::Generation
            | Self::IupacToSmiles => Some("SMILES"),
            Self::IupacToFormula | Self::SmilesToFormula => Some("MOLFORMULA"),
            Self::SmilesToIupac => Some("IUPAC"),
            Self::Number => Some("NUMBER"),
            Self::Truth => Some("BOOLEAN"),
            Self::Captioning => None,
        }
    }
}

/// What stands between the first opening and the first closing tag of the task; a caption is the whole
/// text. Without tags the last verdict, number or formula of the text.
pub(super) fn process(parameters: &Parameters, text: &str) -> Processed {
    let text = without_closed_thoughts(text)?;
    let Some(tag) = parameters.task.tag() else {
        return Ok(strip(&text.replace("<unk>", "").replace("</s>", "")).into());
    };
    let tagged = tagged(&text, tag);
    if tagged.is_empty() {
        return Ok(untagged(parameters.task, &text)?.into());
    }
    // Parts of a molecule are written with a full stop between them.
    Ok(if tag == "SMILES" { tagged.replace(';', ".").into() } else { tagged.into() })
}

fn tagged<'t>(text: &'t str, tag: &str) -> &'t str {
    let (opening, closing) = (format!("<{tag}>"), format!("</{tag}>"));
    let start = text.find(&opening).map(|index| index + opening.len());
    let range = start.zip(text.find(&closing)).filter(|(start, end)| start <= end);
    range.map_or("", |(start, end)| strip(&text[start..end]))
}

fn untagged(task: Task, text: &str) -> Result<String, super::PatternError> {
    static VERDICT: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?i)\b(?:yes|true|no|false)\b"));
    static SMILES: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?s)<SMILES>.*?</SMILES>"));
    static NUMBER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"-?\d*\.\d+|-?\d+"));
    static FORMULA: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(concat!(
            r"[\[\(]?[A-Z][a-z]?\d*(?:\([A-Za-z0-9]+\)\d*)?[\]\)]?",
            r"(?:[A-Z][a-z]?\d*|\([^\)]+\)\d*|\[[^\]]+\]\d*)",
            r"*(?:[+-]{1,2})?(?:·\d*[A-Z][a-z]?\d*)*",
        ))
    });
    Ok(match task {
        Task::Truth => match VERDICT.last(text)?.map(str::to_lowercase).as_deref() {
            Some("yes" | "true") => "Yes".to_owned(),
            Some(_) => "No".to_owned(),
            None => String::new(),
        },
        Task::Number => {
            let text = SMILES.replace(text, "")?;
            NUMBER.last(&text)?.unwrap_or_default().to_owned()
        }
        Task::IupacToFormula | Task::SmilesToFormula => {
            FORMULA.last(text)?.unwrap_or_default().to_owned()
        }
        _ => String::new(),
    })
}
