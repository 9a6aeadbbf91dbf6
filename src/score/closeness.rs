//! How close the choice among a sample's candidates was.
//!
//! Where the two best candidates are as far apart as two programs are on the same text, another machine may
//! choose the other. How far that is depends on the type that was computed in: log-likelihoods of this engine and
//! of transformers differ by up to 4e-5 nats in f32 (`benches/likelihood`); a token's differs by about a hundredth
//! of a nat between f32 and bf16, whose mantissa has 16 bits less.

use super::Rule;
use crate::infer::{Candidate, Choice};

/// How close a choice was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closeness {
    /// The best candidate is clearly the best.
    Clear,
    /// The two best are closer than what the type computed in can tell apart.
    NearTie,
    /// The two best are equal; the first was taken.
    Tie,
}

/// What sums of surprisals computed in this type differ by from program to program, in nats.
pub fn noise_nats(dtype: &str) -> f64 {
    match dtype {
        "bf16" => 0.05,
        "f16" => 0.01,
        _ => 1e-4,
    }
}

/// How close the two best candidates are under a rule; nothing if it cannot score them.
pub fn closeness(rule: &dyn Rule, choice: Choice<'_>, noise_nats: f64) -> Option<Closeness> {
    let lengths = choice.candidates.iter().map(|candidate| rule.length(candidate));
    let mut scored: Vec<(f64, f64)> = rule.scores(choice)?.into_iter().zip(lengths).collect();
    scored.sort_by(|one, other| one.0.total_cmp(&other.0));
    Some(match scored.as_slice() {
        [best, second, ..] if best.0.total_cmp(&second.0).is_eq() => Closeness::Tie,
        [best, second, ..] if (second.0 - best.0) * best.1.max(second.1) < noise_nats => {
            Closeness::NearTie
        }
        _ => Closeness::Clear,
    })
}

/// Whether the answers of a sample's candidates have different numbers of tokens: then rules that divide by a
/// length and rules that do not disagree.
pub fn has_unequal_lengths(candidates: &[Candidate]) -> bool {
    let mut lengths = candidates.iter().map(Candidate::answer_token_count);
    let first = lengths.next();
    lengths.any(|length| Some(length) != first)
}
