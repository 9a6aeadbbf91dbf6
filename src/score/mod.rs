//! Scoring rules: one number for each candidate of a sample, from the surprisals of their tokens.
//!
//! The same surprisals say different things: OpenCompass divides the sum over the whole text by all its
//! tokens, lm-eval sums over the answer alone, or divides by its characters. Which candidate is chosen depends
//! on it, so a rule has a name, and a run that was made with one can be scored with another without asking
//! the model again. Some rules want more asked (`Wanted`): the answer on its own, or the options in another order.
//! A rule knows no gold, no metric and no data set.
//!
//! A rule's score is a surprisal: the smallest wins, the first of equal ones.

mod calibrated;
mod closeness;
mod cyclic;
mod formula;
mod label_probability;
mod pmi;
mod pride;
mod rule;

use serde_json::Value as Json;

pub use closeness::{Closeness, closeness, has_unequal_lengths, noise_nats};
pub use rule::{Constructor, NamedRule, RULES, Rule, build};

use crate::infer::{Candidate, Choice, Outcome, RankedForm, Record};

/// The prediction of a record: the chosen label, the text that was generated, or nothing where a text was
/// only scored.
pub fn prediction(rule: &dyn Rule, record: &Record) -> Option<Json> {
    if let Some(choice) = record.outcome.choice() {
        if choice.form == RankedForm::Shares {
            return Some(shares(choice.candidates).into_iter().map(Json::from).collect());
        }
        return chosen(rule, choice).map(|best| choice.candidates[best].label.clone());
    }
    match &record.outcome {
        Outcome::Generated { continuation, .. } => Some(Json::String(continuation.text.clone())),
        Outcome::Sampled { continuations, .. } => {
            Some(continuations.iter().map(|own| Json::String(own.text.clone())).collect())
        }
        Outcome::Given { prediction } => Some(prediction.clone()),
        Outcome::Retrieved { passages, .. } => {
            Some(passages.iter().map(|own| Json::String(own.id.clone())).collect())
        }
        _ => None,
    }
}

/// How likely each of these is if one of them follows.
pub fn shares(candidates: &[Candidate]) -> Vec<f64> {
    let nats: Vec<f64> = candidates.iter().map(Candidate::text_nll_nats).collect();
    let least = nats.iter().copied().fold(f64::INFINITY, f64::min);
    let weights: Vec<f64> = nats.iter().map(|own| (least - own).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// Index of the candidate with the smallest score; the first of equal ones. Nothing if the rule cannot score
/// them.
pub fn chosen(rule: &dyn Rule, choice: Choice<'_>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (index, score) in rule.scores(choice)?.into_iter().enumerate() {
        if best.is_none_or(|(_, smallest)| score < smallest) {
            best = Some((index, score));
        }
    }
    best.map(|(index, _)| index)
}
