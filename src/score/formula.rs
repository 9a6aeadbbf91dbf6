//! Rules that look at one candidate at a time: surprisals over a length.

use super::Rule;
use crate::infer::{Candidate, Choice, RankedForm};

/// OpenCompass's rule.
pub(super) struct OcPpl;

impl Rule for OcPpl {
    fn scores(&self, choice: Choice<'_>) -> Option<Vec<f64>> {
        Some(match choice.form {
            RankedForm::Perplexity => each(choice, Candidate::ppl),
            // The likeliest of these wins in OpenCompass too, however many tokens it has.
            RankedForm::LogLikelihood | RankedForm::Shares => {
                each(choice, Candidate::text_nll_nats)
            }
        })
    }

    fn unit(&self) -> &'static str {
        "nats/token"
    }

    fn length(&self, candidate: &Candidate) -> f64 {
        let counted = candidate.counted.as_ref().map(|part| part.tokens);
        let answer = candidate.normalizer.as_ref().map(|_| candidate.answer_token_count());
        at_least_one(counted.or(answer).unwrap_or_else(|| candidate.tokens()))
    }
}

/// AISBench's rule: the mean over the tokens that have a surprisal, where OpenCompass divides by all of them.
pub(super) struct AisPpl;

impl Rule for AisPpl {
    fn scores(&self, choice: Choice<'_>) -> Option<Vec<f64>> {
        Some(each(choice, |own| own.text_nll_nats() / self.length(own)))
    }

    fn unit(&self) -> &'static str {
        "nats/token"
    }

    fn length(&self, candidate: &Candidate) -> f64 {
        at_least_one(candidate.nlls.len())
    }
}

/// Σ nll of the whole text.
pub(super) struct TextSum;

impl Rule for TextSum {
    fn scores(&self, choice: Choice<'_>) -> Option<Vec<f64>> {
        Some(each(choice, Candidate::text_nll_nats))
    }
}

/// Σ nll of the answer / a length of it.
pub(super) struct AnswerPer {
    length: fn(&Candidate) -> usize,
    unit: &'static str,
}

impl AnswerPer {
    pub(super) const ALL: Self = Self { length: |_| 1, unit: "nats" };
    pub(super) const TOKEN: Self =
        Self { length: Candidate::answer_token_count, unit: "nats/token" };
    // lm-eval's lengths are those of its choices, to which the white space before them does not belong.
    pub(super) const CHAR: Self =
        Self { length: |own| own.answer().trim_start().chars().count(), unit: "nats/character" };
    pub(super) const BYTE: Self =
        Self { length: |own| own.answer().trim_start().len(), unit: "nats/byte" };
}

impl Rule for AnswerPer {
    fn scores(&self, choice: Choice<'_>) -> Option<Vec<f64>> {
        let is_known = choice.candidates.iter().all(Candidate::knows_answer);
        is_known.then(|| each(choice, |own| own.answer_nll_nats() / self.length(own)))
    }

    fn unit(&self) -> &'static str {
        self.unit
    }

    fn length(&self, candidate: &Candidate) -> f64 {
        at_least_one((self.length)(candidate))
    }

    fn needs_context(&self) -> bool {
        true
    }
}

fn each(choice: Choice<'_>, score: impl Fn(&Candidate) -> f64) -> Vec<f64> {
    choice.candidates.iter().map(score).collect()
}

fn at_least_one(length: usize) -> f64 {
    length.max(1) as f64
}
