//! The rules there are.

use serde::Deserialize;

use crate::{
    config::{Component, ConfigError},
    infer::Candidate,
    registry::{Registration, Registry},
};

/// One number for a candidate; the smallest wins.
pub trait Rule: Send + Sync {
    /// The score, in nats or nats per unit of length.
    fn score(&self, candidate: &Candidate) -> f64;
}

/// A rule without parameters: a formula of surprisals, tokens and lengths.
#[derive(Clone, Copy, Debug)]
pub struct Formula(fn(&Candidate) -> f64);

impl Rule for Formula {
    fn score(&self, candidate: &Candidate) -> f64 {
        (self.0)(candidate)
    }
}

/// OpenCompass's rule.
const OC_PPL: Formula = Formula(Candidate::ppl);

/// All rules.
// A rule is a line, however long.
#[rustfmt::skip]
pub const RULES: Registry<Formula> = Registry {
    kind: "scoring rule",
    registrations: &[
        Registration::new("answer_per_byte", &["acc_bytes"], "Σ nll of the answer / its UTF-8 bytes, white space before it left out", Formula(|own| own.answer_nll_nats() / own.answer().trim_start().len().max(1) as f64)),
        Registration::new("answer_per_char", &["acc_norm"], "Σ nll of the answer / its characters, white space before it left out", Formula(|own| own.answer_nll_nats() / own.answer().trim_start().chars().count().max(1) as f64)),
        Registration::new("answer_per_token", &[], "Σ nll of the answer / its tokens", Formula(|own| own.answer_nll_nats() / own.answer_token_count().max(1) as f64)),
        Registration::new("answer_sum", &["acc", "loglikelihood"], "Σ nll of the answer", Formula(Candidate::answer_nll_nats)),
        Registration::new("oc_ppl", &["ppl", "PPL"], "Σ nll of the whole text / all its tokens, as OpenCompass; less the same of the normalizing text", OC_PPL),
        Registration::new("text_sum", &[], "Σ nll of the whole text", Formula(Candidate::text_nll_nats)),
    ],
};

/// The name of the rule where none is chosen: OpenCompass's.
const DEFAULT_RULE: &str = "oc_ppl";

/// What a rule accepts in its dict besides `type`: nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParameters {}

/// A rule and our name of it.
pub type NamedRule = (&'static str, Box<dyn Rule>);

/// The rule that a config names, or OpenCompass's.
pub fn build(component: Option<&Component>) -> Result<NamedRule, ConfigError> {
    let Some(component) = component else { return Ok((DEFAULT_RULE, Box::new(OC_PPL))) };
    let rule = *RULES.get(component)?;
    component.read::<NoParameters>()?;
    let name = RULES.find(&component.type_name).map_or(DEFAULT_RULE, |found| found.name);
    Ok((name, Box::new(rule)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Node;

    #[test]
    fn a_rule_has_several_names_and_takes_no_parameters() {
        let built = |config| build(Some(&Component::parse(&Node::from_json(&config)).unwrap()));
        for name in ["answer_per_char", "acc_norm"] {
            assert_eq!(built(json!(name)).unwrap().0, "answer_per_char", "{name}");
        }
        assert_eq!(built(json!({"type": "PPL"})).unwrap().0, "oc_ppl");
        assert_eq!(build(None).unwrap().0, "oc_ppl");
        assert!(built(json!({"type": "oc_ppl", "labels": []})).is_err());
    }
}
