//! How far log-likelihoods are apart, candidate by candidate.

use serde::Serialize;

use super::{
    pair::{Pair, RequestPair},
    side::Likelihoods,
};

/// So many of the largest differences are listed.
const LISTED: usize = 10;

/// Which log-likelihood is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Of all tokens of a text that have a surprisal, in nats.
    Text,
    /// Of the answer after all before it, in nats.
    Answer,
    /// Of a token on average as OpenCompass counts them, in nats a token.
    PerToken,
}

/// How far log-likelihoods are apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LikelihoodDifferences {
    /// Which log-likelihood; nothing where the sides have none in common.
    pub quantity: Option<Quantity>,
    /// Candidates.
    pub compared: usize,
    /// Candidates whose answers are not the same text on both sides, so that their log-likelihoods say nothing of each
    /// other.
    pub other_answers: usize,
    /// What is above it is a difference, in the unit of the quantity.
    pub tolerance: f64,
    /// Those above it.
    pub above_tolerance: usize,
    /// The largest; null where one side has no number.
    pub largest: Option<f64>,
    /// The mean of the sizes of all.
    pub mean: Option<f64>,
    /// The mean of all, signs kept: the right side less the left one.
    pub mean_signed: Option<f64>,
    /// The largest above the tolerance, in descending order.
    pub listed: Vec<LargestDifference>,
}

/// A candidate with log-likelihoods that differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LargestDifference {
    /// The sample's number on both sides.
    pub samples: [usize; 2],
    /// The candidate's label on the left side.
    pub candidate: String,
    /// What both sides say.
    pub values: [f64; 2],
    /// The right one less the left one; null where one of them is no number.
    pub difference: f64,
}

impl Quantity {
    /// What a side says of it.
    pub(super) fn of(self, likelihoods: &Likelihoods) -> Option<f64> {
        match self {
            Self::Text => likelihoods.text_nats,
            Self::Answer => likelihoods.answer_nats,
            Self::PerToken => likelihoods.per_token_nats,
        }
    }

    /// The one that the most candidates have on both sides; of equals, that of the longest text.
    pub(super) fn common(pairs: &[Pair<'_>]) -> Option<Self> {
        let count = |quantity: Self| {
            let requests = pairs.iter().flat_map(|pair| &pair.requests);
            requests.filter(|own| own.difference_nats(quantity).is_some()).count()
        };
        let mut best = None;
        for quantity in [Self::Text, Self::Answer, Self::PerToken] {
            let count = count(quantity);
            if count > best.map_or(0, |(_, most)| most) {
                best = Some((quantity, count));
            }
        }
        best.map(|(quantity, _)| quantity)
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "log-likelihood of the whole text",
            Self::Answer => "log-likelihood of the answer",
            Self::PerToken => "mean log-likelihood of a token",
        }
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Text | Self::Answer => "nats",
            Self::PerToken => "nats/token",
        }
    }
}

impl LikelihoodDifferences {
    /// Of all pairs.
    pub(super) fn of(pairs: &[Pair<'_>], tolerance: f64) -> Self {
        let quantity = Quantity::common(pairs);
        let requests =
            || pairs.iter().flat_map(|pair| pair.requests.iter().map(move |own| (pair, own)));
        let mut found: Vec<(&Pair<'_>, &RequestPair<'_>, f64)> = match quantity {
            None => Vec::new(),
            Some(quantity) => requests()
                .filter_map(|(pair, own)| Some((pair, own, own.difference_nats(quantity)?)))
                .collect(),
        };
        let other_answers = requests().filter(|(_, own)| own.has_other_answer()).count();
        let mean = |of: fn(f64) -> f64| {
            let sum: f64 = found.iter().map(|(.., difference)| of(*difference)).sum();
            (!found.is_empty()).then(|| sum / found.len() as f64)
        };
        let (mean_size, mean_signed) = (mean(f64::abs), mean(|own| own));
        let is_above = |difference: f64| difference.abs() > tolerance;
        let above_tolerance = found.iter().filter(|(.., own)| is_above(*own)).count();
        let compared = found.len();
        // Stable, so that the first of equals is the first sample.
        found.sort_by(|(.., own), (.., other)| other.abs().total_cmp(&own.abs()));
        let largest = found.first().map(|(.., difference)| difference.abs());
        let listed = found.iter().filter(|(.., own)| is_above(*own)).take(LISTED);
        let listed = listed.map(|(pair, own, difference)| LargestDifference {
            samples: [pair.left.number, pair.right.number],
            candidate: own.left.label.clone(),
            values: [own.left, own.right].map(|side| {
                quantity.and_then(|quantity| quantity.of(&side.likelihoods)).unwrap_or(f64::NAN)
            }),
            difference: *difference,
        });
        Self {
            quantity,
            compared,
            other_answers,
            tolerance,
            above_tolerance,
            largest,
            mean: mean_size,
            mean_signed,
            listed: listed.collect(),
        }
    }
}
