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
    reasoning::{ThinkPred, WithoutReasoning},
    regex::Regex,
    xml_tag::XmlTag,
};
pub use self::{error::PostprocessError, python_regex::PatternError};
use crate::{
    config::{Component, ConfigError, unknown_name},
    dataset::Sample,
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

/// The rule that a config names.
pub fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
    let name = component.type_name.as_str();
    match find(name) {
        Some(rule) => (rule.build)(component),
        None => Err(unknown_name("post-processor", name, names(), &component.origin)),
    }
}

/// Whether there is a rule of this name, ours or OpenCompass's.
pub fn is_known(name: &str) -> bool {
    find(name).is_some()
}

fn find(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name || rule.aliases.contains(&name))
}

/// The names of all rules, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.name)
}

/// One line of the registry.
struct Rule {
    name: &'static str,
    /// What OpenCompass calls it: in its registry, and as a function.
    aliases: &'static [&'static str],
    build: fn(&Component) -> Result<Box<dyn Postprocessor>, ConfigError>,
}

/// All rules, sorted by name.
const RULES: &[Rule] = &[
    Rule {
        name: "bbh_freeform",
        aliases: &["bbh-freeform", "bbh_freeform_postprocess"],
        build: |component| Plain::build(component, bbh_freeform::process),
    },
    Rule {
        name: "bbh_mcq",
        aliases: &["bbh-mcq", "bbh_mcq_postprocess"],
        build: |component| Plain::build(component, |text| Ok(bbh_mcq::process(text).into())),
    },
    Rule { name: "cot_output", aliases: &[], build: CotOutput::build },
    Rule {
        name: "extract_non_reasoning_content",
        aliases: &["extract-non-reasoning-content"],
        build: WithoutReasoning::build,
    },
    Rule {
        name: "first_capital",
        aliases: &["first-capital", "first_capital_postprocess"],
        build: |component| {
            Plain::build_options(component, |text| Ok(first_capital::process(text).into()))
        },
    },
    Rule {
        name: "first_capital_multi",
        aliases: &["first-capital-multi", "first_capital_postprocess_multi"],
        build: |component| {
            Plain::build_options(component, |text| Ok(first_capital_multi::process(text).into()))
        },
    },
    Rule {
        name: "first_number",
        aliases: &["first_number_postprocess"],
        build: |component| Plain::build(component, first_number::process),
    },
    Rule {
        name: "first_option",
        aliases: &["first-option", "first_option_postprocess"],
        build: FirstOption::build,
    },
    Rule {
        name: "general",
        aliases: &["general_postprocess"],
        build: |component| Plain::build(component, general::process),
    },
    Rule {
        name: "gsm8k",
        aliases: &["gsm8k_postprocess"],
        build: |component| Plain::build(component, gsm8k::process),
    },
    Rule {
        name: "gsm8k_dataset",
        aliases: &["gsm8k_dataset_postprocess"],
        build: |component| Plain::build(component, gsm8k::process_reference),
    },
    Rule {
        name: "last_capital",
        aliases: &["last-capital", "last_capital_postprocess"],
        build: |component| {
            Plain::build_options(component, |text| Ok(last_capital::process(text).into()))
        },
    },
    Rule {
        name: "last_option",
        aliases: &["last-option", "last_option_postprocess"],
        build: LastOption::build,
    },
    Rule { name: "match_answer_pattern", aliases: &[], build: Regex::build_answer_pattern },
    Rule {
        name: "multiple_select",
        aliases: &["multiple-select", "multiple_select_postprocess"],
        build: |component| {
            Plain::build_options(component, |text| Ok(multiple_select::process(text).into()))
        },
    },
    Rule { name: "regex", aliases: &[], build: Regex::build },
    Rule { name: "think_pred", aliases: &["think_pred_postprocess"], build: ThinkPred::build },
    Rule {
        name: "xml_tag",
        aliases: &["specific-xml-tag", "xml_tag_postprocessor"],
        build: XmlTag::build,
    },
];

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
    fn the_registry_is_sorted_and_names_are_unique() {
        assert!(names().is_sorted());
        let mut all: Vec<_> = RULES.iter().flat_map(|rule| rule.aliases).copied().collect();
        all.extend(names());
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
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
