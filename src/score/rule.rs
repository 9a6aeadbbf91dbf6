//! The rules there are.

use serde::Deserialize;

use crate::{
    config::{Component, ConfigError, unknown_name},
    infer::Candidate,
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

/// A rule that is a formula.
#[derive(Debug)]
pub struct NamedRule {
    /// Our name.
    pub name: &'static str,
    /// What others call it.
    pub aliases: &'static [&'static str],
    /// What it is.
    pub what: &'static str,
    reads_answer_text: bool,
    score: fn(&Candidate) -> f64,
}

impl Rule for &'static NamedRule {
    fn score(&self, candidate: &Candidate) -> f64 {
        (self.score)(candidate)
    }

    fn reads_answer_text(&self) -> bool {
        self.reads_answer_text
    }
}

/// All rules, sorted by name.
pub const RULES: &[NamedRule] = &[
    NamedRule {
        name: "answer_per_byte",
        aliases: &["acc_bytes"],
        what: "Σ nll of the answer / its UTF-8 bytes",
        reads_answer_text: true,
        score: |own| own.answer_nll_nats() / own.answer_text.trim_start().len().max(1) as f64,
    },
    NamedRule {
        name: "answer_per_char",
        aliases: &["acc_norm"],
        what: "Σ nll of the answer / its characters",
        reads_answer_text: true,
        score: |own| {
            own.answer_nll_nats() / own.answer_text.trim_start().chars().count().max(1) as f64
        },
    },
    NamedRule {
        name: "answer_per_token",
        aliases: &[],
        what: "Σ nll of the answer / its tokens",
        reads_answer_text: false,
        score: |own| own.answer_nll_nats() / own.answer_tokens.len().max(1) as f64,
    },
    NamedRule {
        name: "answer_sum",
        aliases: &["acc", "loglikelihood"],
        what: "Σ nll of the answer",
        reads_answer_text: false,
        score: Candidate::answer_nll_nats,
    },
    NamedRule {
        name: "oc_ppl",
        aliases: &["ppl", "PPL"],
        what: "Σ nll of the whole text / all its tokens, as OpenCompass; less the same of the normalizing text",
        reads_answer_text: false,
        score: Candidate::ppl,
    },
    NamedRule {
        name: "text_sum",
        aliases: &[],
        what: "Σ nll of the whole text",
        reads_answer_text: false,
        score: |own| own.sum_nll_nats,
    },
];

/// OpenCompass's rule.
pub fn default_rule() -> Box<dyn Rule> {
    Box::new(&RULES[OC_PPL])
}

const OC_PPL: usize = 4;

/// What a rule accepts in its dict besides `type`: nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParameters {}

/// The rule that a config names.
pub fn build(component: &Component) -> Result<Box<dyn Rule>, ConfigError> {
    let name = component.type_name.as_str();
    let Some(rule) = RULES.iter().find(|rule| rule.name == name || rule.aliases.contains(&name))
    else {
        let names = RULES.iter().map(|rule| rule.name);
        return Err(unknown_name("scoring rule", name, names, &component.origin));
    };
    component.read::<NoParameters>()?;
    Ok(Box::new(rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_sorted_and_the_default_is_opencompass_s() {
        assert!(RULES.is_sorted_by_key(|rule| rule.name));
        assert_eq!(RULES[OC_PPL].name, "oc_ppl");
    }
}
