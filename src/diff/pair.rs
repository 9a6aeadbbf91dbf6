//! A sample of one side beside the same sample of the other, request by request.

use super::{
    align::aligned,
    likelihood_difference::Quantity,
    side::{Answer, Request, Side, SideSample},
};

/// The same sample on both sides.
#[derive(Clone, Debug)]
pub(super) struct Pair<'a> {
    pub(super) left: &'a SideSample,
    pub(super) right: &'a SideSample,
    /// The requests that are the same candidate on both sides, in the order of the left one.
    pub(super) requests: Vec<RequestPair<'a>>,
    /// Requests of either side that the other does not have.
    pub(super) unaligned: usize,
}

/// The same candidate, or the same text to be continued, on both sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestPair<'a> {
    pub(super) left: &'a Request,
    pub(super) right: &'a Request,
    /// Their places in their samples.
    pub(super) places: [usize; 2],
}

impl<'a> Pair<'a> {
    /// Of samples that are the same.
    pub(super) fn of(left: &'a SideSample, right: &'a SideSample) -> Self {
        let places = aligned(&left.requests, &right.requests);
        let unaligned = left.requests.len() + right.requests.len() - 2 * places.len();
        let request = |places: [usize; 2]| {
            let [own, other] = places;
            let (left, right) = (left.requests.get(own)?, right.requests.get(other)?);
            Some(RequestPair { left, right, places })
        };
        let requests = places.into_iter().filter_map(request).collect();
        Self { left, right, requests, unaligned }
    }

    /// Of the samples at these places of two sides.
    pub(super) fn all(left: &'a Side, right: &'a Side, places: &[[usize; 2]]) -> Vec<Self> {
        let pair = |[own, other]: &[usize; 2]| {
            Some(Self::of(left.samples.get(*own)?, right.samples.get(*other)?))
        };
        places.iter().filter_map(pair).collect()
    }

    /// Whether both sides have the same answer; nothing where one of them has none to compare.
    pub(super) fn has_same_answer(&self) -> Option<bool> {
        match (&self.left.answer, &self.right.answer) {
            (Some(Answer::Choice(own)), Some(Answer::Choice(other))) => {
                let chosen = self.requests.iter().find(|pair| pair.places[0] == *own);
                Some(chosen.is_some_and(|pair| pair.places[1] == *other))
            }
            (Some(Answer::Text(own)), Some(Answer::Text(other))) => Some(own == other),
            _ => self.has_same_texts(),
        }
    }

    /// Whether the model wrote the same on both sides; nothing where it did not write on both.
    pub(super) fn has_same_texts(&self) -> Option<bool> {
        let (own, other) = (self.left.generated()?, self.right.generated()?);
        Some(own == other)
    }

    /// Whether all prompts are the same, letter for letter, and show the same images.
    pub(super) fn has_same_prompts(&self) -> bool {
        let is_same = |own: &RequestPair<'_>| own.has_same_text() && !own.has_other_images();
        self.unaligned == 0 && self.requests.iter().all(is_same)
    }
}

impl RequestPair<'_> {
    /// Whether the texts are the same, letter for letter.
    pub(super) fn has_same_text(&self) -> bool {
        self.left.text == self.right.text
    }

    /// Whether images that the texts name are not the same; not where one side does not tell them.
    pub(super) fn has_other_images(&self) -> bool {
        self.tell_images() && self.left.images != self.right.images
    }

    /// Whether both sides tell which images they show.
    pub(super) fn tell_images(&self) -> bool {
        !self.left.images.is_empty() && !self.right.images.is_empty()
    }

    /// Whether the ids are the same; nothing where one side does not tell them.
    pub(super) fn has_same_ids(&self) -> Option<bool> {
        Some(self.left.ids.as_ref()? == self.right.ids.as_ref()?)
    }

    /// The right log-likelihood less the left one, in nats; infinite where only one is a number, nothing where one is not
    /// told or where they are of different answers.
    pub(super) fn difference_nats(&self, quantity: Quantity) -> Option<f64> {
        let own = quantity.of(&self.left.likelihoods)?;
        let other = quantity.of(&self.right.likelihoods)?;
        if quantity == Quantity::Answer && self.has_other_answer() {
            return None;
        }
        if own.to_bits() == other.to_bits() || (own.is_nan() && other.is_nan()) {
            return Some(0.0);
        }
        let difference = other - own;
        Some(if difference.is_nan() { f64::INFINITY } else { difference })
    }

    /// Whether answers begin at different places, or are different ones, blanks aside.
    pub(super) fn has_other_answer(&self) -> bool {
        match (self.left.answer(), self.right.answer()) {
            (Some(own), Some(other)) => own.trim() != other.trim(),
            _ => false,
        }
    }
}
