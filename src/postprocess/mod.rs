//! From what a model wrote to the answer it gave.
//!
//! A generation says more than its answer: "The answer is (B), because …". A post-processor is the
//! rule that takes the answer out, and so half of the metric. The rules here are OpenCompass's, to
//! the character, because only then are scores comparable. A rule is a pure function of the text (and,
//! for a few, of the row that was asked about), so it can be changed after a run and applied again to
//! the stored generations.

mod bbh_freeform;
mod bbh_mcq;
mod blank;
mod cot_output;
mod error;
mod first_capital;
mod first_capital_multi;
mod first_number;
mod first_option;
mod general;
mod gsm8k;
mod last_capital;
mod last_option;
mod multiple_select;
mod option_number;
mod python_regex;
mod reasoning;
mod regex;
mod xml_tag;

use serde::Deserialize;
use serde_json::Value;

pub(crate) use self::general::normalized;
use self::{
    cot_output::CotOutput,
    first_option::FirstOption,
    last_option::LastOption,
    option_number::OptionNumber,
    reasoning::{ThinkPred, WithoutReasoning},
    regex::Regex,
    xml_tag::XmlTag,
};
pub use self::{error::PostprocessError, python_regex::PatternError};
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
    registry::{Registration, Registry},
};

/// A rule that takes the answer out of a generation.
///
/// ```
/// use surprisal::{config::{Component, Node}, dataset::Sample, postprocess};
///
/// let config = serde_json::json!({"type": "first_option", "options": "ABCD"});
/// let component = Component::parse(&Node::from_json(&config))?;
/// let rule = postprocess::build(&component)?;
/// assert_eq!(rule.process("The answer is (B).", &Sample::default())?, "B");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Postprocessor: Send + Sync {
    /// The answer in `text`, which was generated for `sample`; mostly a text, empty if there is none.
    fn process(&self, text: &str, sample: &Sample) -> Result<Value, PostprocessError>;

    /// Whether it can give this answer, for a rule that picks options such as letters; nothing for all
    /// others.
    fn gives(&self, _answer: &str) -> Option<bool> {
        None
    }
}

/// Applies a rule to a prediction, which is a text or, after sampling several, a list of texts.
pub fn apply(
    rule: &dyn Postprocessor,
    prediction: &Value,
    sample: &Sample,
) -> Result<Value, PostprocessError> {
    match prediction {
        Value::String(text) => rule.process(text, sample),
        Value::Array(several) => several.iter().map(|one| apply(rule, one, sample)).collect(),
        other => Err(PostprocessError::NotText(other.clone())),
    }
}

/// Makes a rule from its parameters in a config.
pub type Constructor = fn(&Component) -> Result<Box<dyn Postprocessor>, ConfigError>;

/// All rules. OpenCompass has two names for most: the one in its registry, and the function's.
// A rule is a line, however long.
#[rustfmt::skip]
pub const POSTPROCESSORS: Registry<Constructor> = Registry {
    kind: "post-processor",
    registrations: &[
        Registration::new("bbh_freeform", &["bbh-freeform", "bbh_freeform_postprocess"], "the short text after the last 'answer is'", |component| Plain::build(component, bbh_freeform::process)),
        Registration::new("bbh_mcq", &["bbh-mcq", "bbh_mcq_postprocess"], "the option after the first 'answer is'", |component| Plain::build(component, |text| Ok(bbh_mcq::process(text).into()))),
        Registration::new("cot_output", &[], "the rewritten question at the end of a chain of thought", CotOutput::build),
        Registration::new("first_capital", &["first-capital", "first_capital_postprocess"], "the first capital letter", |component| Plain::build_options(component, |text| Ok(first_capital::process(text).into()))),
        Registration::new("first_capital_multi", &["first-capital-multi", "first_capital_postprocess_multi"], "the first unbroken run of the letters A to D", |component| Plain::build_options(component, |text| Ok(first_capital_multi::process(text).into()))),
        Registration::new("first_number", &["first_number_postprocess"], "the first number", |component| Plain::build(component, first_number::process)),
        Registration::new("first_option", &["first-option", "first_option_postprocess"], "the option that a free answer settles on, by a list of phrasings", FirstOption::build),
        Registration::new("general", &["general_postprocess"], "the first clause without punctuation, articles and case", |component| Plain::build(component, general::process)),
        Registration::new("gsm8k", &["gsm8k_postprocess"], "the last number of a worked solution", |component| Plain::build(component, gsm8k::process)),
        Registration::new("gsm8k_dataset", &["gsm8k_dataset_postprocess"], "the number after '#### ' in a solution of the data set", |component| Plain::build(component, gsm8k::process_reference)),
        Registration::new("last_capital", &["last-capital", "last_capital_postprocess"], "the last capital letter", |component| Plain::build_options(component, |text| Ok(last_capital::process(text).into()))),
        Registration::new("last_option", &["last-option", "last_option_postprocess"], "the option letter that is mentioned last", LastOption::build),
        Registration::new("match_answer_pattern", &[], "what a pattern captures, as OpenCompass writes it", Regex::build_answer_pattern),
        Registration::new("multiple_select", &["multiple-select", "multiple_select_postprocess"], "every capital letter, once and sorted", |component| Plain::build_options(component, |text| Ok(multiple_select::process(text).into()))),
        Registration::new("option_number", &[], "the place of an option's letter: A is 0", OptionNumber::build),
        Registration::new("regex", &[], "what a pattern captures", Regex::build),
        Registration::new("think_pred", &["think_pred_postprocess"], "the answer after a model's thoughts", ThinkPred::build),
        Registration::new("without_reasoning", &["extract-non-reasoning-content", "extract_non_reasoning_content"], "the text without what stands between two thinking tokens", WithoutReasoning::build),
        Registration::new("xml_tag", &["specific-xml-tag", "xml_tag_postprocessor"], "what stands between two tags, such as <conclude>", XmlTag::build),
    ],
};

/// The rule that a config names.
pub fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
    POSTPROCESSORS.get(component)?(component)
}

/// A rule without parameters that looks at the text only: a function.
struct Plain {
    process: fn(&str) -> Result<Value, PostprocessError>,
    picks_options: bool,
}

/// What such a rule accepts in its dict besides `type`: nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParameters {}

impl Plain {
    fn build(
        component: &Component,
        process: fn(&str) -> Result<Value, PostprocessError>,
    ) -> Result<Box<dyn Postprocessor>, ConfigError> {
        component.read::<NoParameters>()?;
        Ok(Box::new(Self { process, picks_options: false }))
    }

    /// The same for a rule that picks options.
    fn build_options(
        component: &Component,
        process: fn(&str) -> Result<Value, PostprocessError>,
    ) -> Result<Box<dyn Postprocessor>, ConfigError> {
        component.read::<NoParameters>()?;
        Ok(Box::new(Self { process, picks_options: true }))
    }
}

impl Postprocessor for Plain {
    fn process(&self, text: &str, _sample: &Sample) -> Result<Value, PostprocessError> {
        (self.process)(text)
    }

    fn gives(&self, answer: &str) -> Option<bool> {
        // Each of the functions that pick options finds what it gives in that alone.
        let made = self.picks_options.then(|| (self.process)(answer).ok())?;
        Some(made? == answer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Node;

    fn built(config: &Value) -> Result<Box<dyn Postprocessor>, ConfigError> {
        build(&Component::parse(&Node::from_json(config))?)
    }

    #[test]
    fn a_dotted_path_of_opencompass_finds_its_rule() {
        let path = "opencompass.utils.text_postprocessors.first_capital_postprocess";
        let rule = built(&json!({"type": path})).unwrap();
        let answer = apply(&*rule, &json!(["so B", "no"]), &Sample::default()).unwrap();
        assert_eq!(answer, json!(["B", ""]));
    }

    #[test]
    fn unknown_names_and_parameters_are_refused() {
        let error = built(&json!({"type": "first_options"})).err().unwrap().to_string();
        assert!(error.contains("did you mean 'first_option'?"), "{error}");
        assert!(built(&json!({"type": "general", "options": "AB"})).is_err());
    }
}
