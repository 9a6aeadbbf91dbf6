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

use crate::infer::{Choice, Outcome, Record};

/// The prediction of a record: the chosen label, the text that was generated, or nothing where a text was
/// only scored.
pub fn prediction(rule: &dyn Rule, record: &Record) -> Option<Json> {
    if let Some(choice) = record.outcome.choice() {
        return chosen(rule, choice).map(|best| choice.candidates[best].label.clone());
    }
    match &record.outcome {
        Outcome::Generated { continuation, .. } => Some(Json::String(continuation.text.clone())),
        _ => None,
    }
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
