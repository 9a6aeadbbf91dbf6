//! Why two sides differ: hypotheses, each tested on prompts and numbers, each told with what speaks for it.
//!
//! A hypothesis counts what it explains among what could be explained by a hypothesis of its kind: prompts that differ,
//! log-likelihoods that differ although prompts do not, answers that differ although log-likelihoods do not. The one
//! that explains the largest share comes first; of equals, what happens earlier on a prompt's way through a model.

mod beginning;
mod chat_marks;
mod choice_rule;
mod cut;
mod examples;
mod images;
mod noise;
mod white_space;
mod wording;
mod written;

#[cfg(test)]
mod tests;

use serde::Serialize;

use super::{
    likelihood_difference::Quantity,
    pair::{Pair, RequestPair},
    side::Side,
};

/// A cause that explains less of what it could explain is not named.
const LEAST_SHARE: f64 = 0.2;

/// The first cause is the likeliest if it explains so much.
const CONCLUSIVE_SHARE: f64 = 0.5;

/// What may make sides differ, in the order in which it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseKind {
    /// A token that begins a text is missing or doubled.
    Beginning,
    /// One side writes roles as a chat template does.
    ChatTemplate,
    /// Blanks between the parts of a prompt.
    WhiteSpace,
    /// Another number, order or choice of examples.
    Examples,
    /// Prompts that were cut to the context.
    Truncation,
    /// The same words everywhere stand in place of others.
    Wording,
    /// Files of images that are not the same.
    Images,
    /// Another type that the model is computed in.
    Noise,
    /// Other weights.
    Weights,
    /// Another scoring rule on the same log-likelihoods.
    Normalisation,
    /// Other stop words, or another limit of tokens.
    Stopping,
    /// Another way from the text that was written to the answer.
    PostProcessing,
}

/// A cause and what speaks for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cause {
    /// Which.
    pub kind: CauseKind,
    /// It in a sentence, with counts.
    pub sentence: String,
    /// How many differences it explains.
    pub explained: usize,
    /// Of how many.
    pub of: usize,
}

impl Cause {
    fn share(&self) -> f64 {
        self.explained as f64 / self.of.max(1) as f64
    }

    /// Whether it explains most of what it could explain.
    pub fn is_conclusive(&self) -> bool {
        self.share() >= CONCLUSIVE_SHARE
    }
}

/// What hypotheses are tested on.
#[derive(Clone, Copy)]
pub(super) struct Evidence<'a> {
    pub(super) left: &'a Side,
    pub(super) right: &'a Side,
    pub(super) pairs: &'a [Pair<'a>],
    pub(super) quantity: Option<Quantity>,
    /// What is above it is a difference.
    pub(super) tolerance: f64,
}

/// A request on both sides, of a sample.
type OfPair<'a> = (&'a Pair<'a>, &'a RequestPair<'a>);

/// A log-likelihood that differs although its prompt does not.
struct Moved<'a> {
    pair: &'a Pair<'a>,
    request: &'a RequestPair<'a>,
    /// The left log-likelihood, in the unit of the quantity.
    own: f64,
    /// The right one less the left one.
    difference: f64,
}

impl<'a> Evidence<'a> {
    fn requests(&self) -> impl Iterator<Item = OfPair<'a>> + use<'a> {
        self.pairs.iter().flat_map(|pair| pair.requests.iter().map(move |own| (pair, own)))
    }

    /// Requests whose texts differ.
    fn differing(&self) -> Vec<OfPair<'a>> {
        self.requests().filter(|(_, own)| !own.has_same_text()).collect()
    }

    /// Log-likelihoods of equal texts, those within the tolerance too.
    fn of_equal_texts(&self) -> Vec<Moved<'a>> {
        let Some(quantity) = self.quantity else { return Vec::new() };
        let moved = |(pair, request): OfPair<'a>| {
            let difference = request.difference_nats(quantity)?;
            let own = quantity.of(&request.left.likelihoods)?;
            Some(Moved { pair, request, own, difference })
        };
        self.requests().filter(|(_, own)| own.has_same_text()).filter_map(moved).collect()
    }

    /// Log-likelihoods of equal texts that differ.
    fn moved(&self) -> Vec<Moved<'a>> {
        let mut found = self.of_equal_texts();
        found.retain(|own| own.difference.abs() > self.tolerance);
        found
    }

    /// The name of a side: 0 is the left one.
    fn name(&self, side: usize) -> &'a str {
        if side == 0 { &self.left.name } else { &self.right.name }
    }
}

/// All causes that explain something, the likeliest first.
pub(super) fn causes(evidence: &Evidence<'_>) -> Vec<Cause> {
    let beginning = beginning::cause(evidence);
    // An offset is a difference of the same size everywhere, which would pass for noise.
    let is_offset = beginning.is_some() && evidence.differing().is_empty();
    let of_numbers = if is_offset { Vec::new() } else { noise::causes(evidence) };
    let mut found: Vec<Cause> = [
        beginning,
        chat_marks::cause(evidence),
        white_space::cause(evidence),
        examples::cause(evidence),
        cut::cause(evidence),
        wording::cause(evidence),
        images::cause(evidence),
        choice_rule::cause(evidence),
        written::stopping(evidence),
        written::post_processing(evidence),
    ]
    .into_iter()
    .flatten()
    .chain(of_numbers)
    .filter(|cause| cause.share() >= LEAST_SHARE)
    .collect();
    found.sort_by(|own, other| {
        other.share().total_cmp(&own.share()).then(own.kind.cmp(&other.kind))
    });
    found
}

/// What most items are, and how many; of equals, the least.
fn commonest<T: Ord + Clone>(items: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut counts = std::collections::BTreeMap::<T, usize>::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    let mut best: Option<(T, usize)> = None;
    for (item, count) in counts {
        if best.as_ref().is_none_or(|(_, most)| count > *most) {
            best = Some((item, count));
        }
    }
    best
}
