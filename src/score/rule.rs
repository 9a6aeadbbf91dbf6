//! The rules there are.

use serde::{Deserialize, de::DeserializeOwned};

use super::{
    calibrated::Calibrated,
    cyclic::Cyclic,
    formula::{AisPpl, AnswerPer, OcPpl, TextSum},
    pmi::Pmi,
    pride::Pride,
};
use crate::{
    config::{Component, ConfigError},
    infer::{Candidate, Choice, Wanted},
    registry::{Registration, Registry},
};

/// One number for each candidate of a sample; the smallest wins.
pub trait Rule: Send + Sync {
    /// The scores, in [`Self::unit`], in the order of the candidates; nothing if the rule
    /// needs what was not asked.
    fn scores(&self, choice: Choice<'_>) -> Option<Vec<f64>>;

    /// The unit of its scores: `nats`, `nats/token`, ….
    fn unit(&self) -> &'static str {
        "nats"
    }

    /// What a sum of surprisals in nats was divided by to give a candidate's score; at least 1.
    fn length(&self, _: &Candidate) -> f64 {
        1.0
    }

    /// Whether it tells the answer from the text before it.
    fn needs_context(&self) -> bool {
        false
    }

    /// What has to be asked beside the candidates.
    fn wanted(&self) -> Wanted {
        Wanted::Nothing
    }

    /// The rule with what it learns from all samples of a data set under a model, if it learns.
    fn fitted(&self, _: &[Choice<'_>]) -> Option<Box<dyn Rule>> {
        None
    }
}

/// Makes a rule.
pub type Constructor = fn(&Component) -> Result<Box<dyn Rule>, ConfigError>;

/// All rules.
// A rule is a line, however long.
#[rustfmt::skip]
pub const RULES: Registry<Constructor> = Registry {
    kind: "scoring rule",
    registrations: &[
        Registration::new("ais_ppl", &["per_scored_token"], "Σ nll of the whole text / its tokens that have one, as AISBench", |component| plain(component, AisPpl)),
        Registration::new("calibrated", &["contextual_calibration"], "the answer's probability / its mean probability after questions without content", read::<Calibrated>),
        Registration::new("cyclic", &["cyclic_permutation"], "an option's mean probability over all cyclic permutations of the options", read::<Cyclic>),
        Registration::new("oc_ppl", &["ppl", "PPL"], "Σ nll of the whole text / all its tokens, as OpenCompass; less the same of the normalizing text", |component| plain(component, OcPpl)),
        Registration::new("per_byte", &["acc_bytes"], "Σ nll of the answer / its UTF-8 bytes, white space before it left out", |component| plain(component, AnswerPer::BYTE)),
        Registration::new("per_char", &["acc_norm"], "Σ nll of the answer / its characters, white space before it left out", |component| plain(component, AnswerPer::CHAR)),
        Registration::new("per_token", &["answer_only"], "Σ nll of the answer / its tokens", |component| plain(component, AnswerPer::TOKEN)),
        Registration::new("pmi", &["pmi_dc", "acc_mutual_info"], "Σ nll of the answer, less the same after no more than what leads to it", read::<Pmi>),
        Registration::new("pride", &["PriDe"], "the answer's probability / its label's prior, learnt from permutations of a few samples", |component| Ok(Box::new(Pride::of(component.read()?, &component.origin)?))),
        Registration::new("sum", &["acc", "loglikelihood"], "Σ nll of the answer", |component| plain(component, AnswerPer::ALL)),
        Registration::new("text_sum", &[], "Σ nll of the whole text", |component| plain(component, TextSum)),
    ],
};

/// The name of the rule where none is chosen: OpenCompass's.
const DEFAULT_RULE: &str = "oc_ppl";

/// What a rule without parameters accepts in its dict besides `type`: nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParameters {}

fn plain(component: &Component, rule: impl Rule + 'static) -> Result<Box<dyn Rule>, ConfigError> {
    component.read::<NoParameters>()?;
    Ok(Box::new(rule))
}

fn read<R: Rule + DeserializeOwned + 'static>(
    component: &Component,
) -> Result<Box<dyn Rule>, ConfigError> {
    Ok(Box::new(component.read::<R>()?))
}

/// A rule and our name of it.
pub type NamedRule = (&'static str, Box<dyn Rule>);

/// The rule that a config names, or OpenCompass's.
pub fn build(component: Option<&Component>) -> Result<NamedRule, ConfigError> {
    let Some(component) = component else { return Ok((DEFAULT_RULE, Box::new(OcPpl))) };
    let rule = RULES.get(component)?(component)?;
    let name = RULES.find(&component.type_name).map_or(DEFAULT_RULE, |found| found.name);
    Ok((name, rule))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Node;

    #[test]
    fn a_rule_has_several_names_and_takes_no_parameters() {
        let built = |config| build(Some(&Component::parse(&Node::from_json(&config)).unwrap()));
        for name in ["per_char", "acc_norm"] {
            assert_eq!(built(json!(name)).unwrap().0, "per_char", "{name}");
        }
        assert_eq!(built(json!({"type": "PPL"})).unwrap().0, "oc_ppl");
        assert_eq!(build(None).unwrap().0, "oc_ppl");
        assert!(built(json!({"type": "oc_ppl", "labels": []})).is_err());
    }
}
