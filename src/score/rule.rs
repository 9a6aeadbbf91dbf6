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

    /// Whether it looks at the text of the answer, which is only spelled out for rules that do.
    fn reads_answer_text(&self) -> bool {
        false
    }
}

/// A rule without parameters.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    reads_answer_text: bool,
    score: fn(&Candidate) -> f64,
}

impl Formula {
    /// A formula of surprisals, tokens and lengths.
    const fn new(score: fn(&Candidate) -> f64) -> Self {
        Self { reads_answer_text: false, score }
    }

    /// A formula that looks at the text of the answer, too.
    const fn of_text(score: fn(&Candidate) -> f64) -> Self {
        Self { reads_answer_text: true, score }
    }
}

impl Rule for Formula {
    fn score(&self, candidate: &Candidate) -> f64 {
        (self.score)(candidate)
    }

    fn reads_answer_text(&self) -> bool {
        self.reads_answer_text
    }
}

/// OpenCompass's rule.
const OC_PPL: Formula = Formula::new(Candidate::ppl);

/// All rules.
// A rule is a line, however long.
#[rustfmt::skip]
pub const RULES: Registry<Formula> = Registry {
    kind: "scoring rule",
    registrations: &[
        Registration::new("answer_per_byte", &["acc_bytes"], "Σ nll of the answer / its UTF-8 bytes", Formula::of_text(|own| own.answer_nll_nats() / own.answer_text.trim_start().len().max(1) as f64)),
        Registration::new("answer_per_char", &["acc_norm"], "Σ nll of the answer / its characters", Formula::of_text(|own| own.answer_nll_nats() / own.answer_text.trim_start().chars().count().max(1) as f64)),
        Registration::new("answer_per_token", &[], "Σ nll of the answer / its tokens", Formula::new(|own| own.answer_nll_nats() / own.answer_token_count().max(1) as f64)),
        Registration::new("answer_sum", &["acc", "loglikelihood"], "Σ nll of the answer", Formula::new(Candidate::answer_nll_nats)),
        Registration::new("oc_ppl", &["ppl", "PPL"], "Σ nll of the whole text / all its tokens, as OpenCompass; less the same of the normalizing text", OC_PPL),
        Registration::new("text_sum", &[], "Σ nll of the whole text", Formula::new(Candidate::text_nll_nats)),
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
            let (ours, rule) = built(json!(name)).unwrap();
            assert_eq!((ours, rule.reads_answer_text()), ("answer_per_char", true), "{name}");
        }
        assert!(!built(json!({"type": "PPL"})).unwrap().1.reads_answer_text());
        assert_eq!(build(None).unwrap().0, "oc_ppl");
        assert!(built(json!({"type": "oc_ppl", "labels": []})).is_err());
    }
}
