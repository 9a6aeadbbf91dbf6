//! Scoring rules: one number for a candidate, from the surprisals of its tokens.
//!
//! The same surprisals say different things: OpenCompass divides the sum over the whole text by all its
//! tokens, lm-eval sums over the answer alone, or divides by its characters. Which candidate is chosen depends
//! on it, so a rule has a name, and a run that was made with one can be scored with another without asking
//! the model again. A rule looks at one candidate; it knows no gold, no metric and no data set.
//!
//! A rule's score is a surprisal: the smallest wins, the first of equal ones.

mod rule;

use serde_json::Value as Json;

pub use rule::{NamedRule, RULES, Rule, build};

use crate::infer::{Candidate, Outcome, Record};

/// The prediction of a record: the chosen label, the text that was generated, or nothing where a text was
/// only scored.
pub fn prediction(rule: &dyn Rule, record: &Record) -> Option<Json> {
    match &record.outcome {
        Outcome::Ranked { candidates, .. } => {
            chosen(rule, candidates).map(|best| candidates[best].label.clone())
        }
        Outcome::Generated { continuation, .. } => Some(Json::String(continuation.text.clone())),
        _ => None,
    }
}

/// Index of the candidate with the smallest score; the first of equal ones.
pub fn chosen(rule: &dyn Rule, candidates: &[Candidate]) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (index, candidate) in candidates.iter().enumerate() {
        let score = rule.score(candidate);
        if best.is_none_or(|(_, smallest)| score < smallest) {
            best = Some((index, score));
        }
    }
    best.map(|(index, _)| index)
}
