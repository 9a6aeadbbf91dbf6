//! A scored text: its tokens, their surprisals, and the figures that come of them.

use std::{ops::Range, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::text_tokens;

use crate::{
    answer::{ServedScore, ServedTokens},
    engine::Score,
};

/// A scored text. Its ids and the surprisal of every token are there, so that any rule can score it and any
/// normalisation be computed later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its label; null for a text on its own.
    pub label: Json,
    /// The whole text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// The text without its examples.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub testing_input: String,
    /// The tokens that are the answer: those from the first at which the sample's candidates part, or after
    /// the separator of a template that has one. A text on its own is an answer as a whole.
    pub answer_tokens: Range<usize>,
    /// Tokens before it was cut to the context.
    pub uncut_tokens: usize,
    /// UTF-8 bytes of the text that the model reads.
    pub bytes: usize,
    /// Its characters.
    pub chars: usize,
    /// How many bytes at the end of `prompt` are the answer; 0 for a text on its own.
    pub answer_bytes: usize,
    /// Whether the template says where its answer begins.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_separated: bool,
    /// The text's ids as it was scored, special tokens included.
    #[serde(skip)]
    pub ids: Arc<[u32]>,
    /// Its tokens where it was scored behind a server, which tells what they spell and no ids.
    #[serde(skip)]
    pub served: Option<Arc<ServedTokens>>,
    /// −ln p of the scored tokens, the last ones of `ids`, in nats. All but the first are scored, or those
    /// after the context.
    #[serde(skip)]
    pub nlls: Vec<f32>,
    /// Whether each scored token is the likeliest at its place, of equals the lowest id; as long as `nlls`.
    #[serde(skip)]
    pub likeliest: Vec<bool>,
    /// Σ −ln p(token | before) over all scored tokens, or over those that count, in nats; summed in f64 in
    /// token order.
    #[serde(skip)]
    pub sum_nll_nats: f64,
    /// What it is measured against, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalizer: Option<Box<Normalizer>>,
    /// The part that the sum is over; absent where it is the whole text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<CountedTokens>,
}

/// How surprising an answer is after its context, and after a text that has nothing to do with it:
/// the second is subtracted, so that an answer that is likely anywhere gains nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normalizer {
    /// Tokens of the candidate before its answer, which are not scored.
    pub context_tokens: usize,
    /// The other text and the answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// Tokens of the other text, which are not scored.
    pub normalizing_tokens: usize,
    /// Ids of the other text and the answer.
    #[serde(skip)]
    pub ids: Arc<[u32]>,
    /// Σ −ln p(token | before) over the answer after the other text, in nats.
    #[serde(skip)]
    pub sum_nll_nats: f64,
    /// −ln p of the scored tokens, in nats.
    #[serde(skip)]
    pub nlls: Vec<f32>,
}

impl Normalizer {
    /// Tokens of the answer after the other text.
    pub fn answer_token_count(&self) -> usize {
        self.ids.len().saturating_sub(self.normalizing_tokens)
    }
}

/// The tokens of a text that count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedTokens {
    /// How many they are.
    pub tokens: usize,
    /// Their indices in the text's tokens.
    pub ranges: Vec<Range<usize>>,
}

impl CountedTokens {
    /// The tokens of these ranges; the first token of a text has no surprisal and never counts.
    pub(super) fn new(ranges: &[Range<usize>]) -> Self {
        let ranges: Vec<Range<usize>> = ranges
            .iter()
            .map(|range| range.start.max(1)..range.end)
            .filter(|range| !range.is_empty())
            .collect();
        Self { tokens: ranges.iter().map(ExactSizeIterator::len).sum(), ranges }
    }

    /// Σ nll over them, in nats, of the surprisals of the tokens 1, 2, ….
    fn sum_nats(&self, nlls: &[f32]) -> f64 {
        let of_range = |range: &Range<usize>| nlls.get(range.start - 1..range.end - 1);
        self.ranges
            .iter()
            .filter_map(of_range)
            .flatten()
            .fold(0.0, |sum, nll| sum + f64::from(*nll))
    }
}

impl Candidate {
    /// Tokens of the text as it was scored, special tokens included.
    pub fn tokens(&self) -> usize {
        self.served.as_ref().map_or(self.ids.len(), |own| own.len())
    }

    /// Whether it is known which of its tokens are the answer; a server may not tell.
    pub fn knows_answer(&self) -> bool {
        self.served.as_ref().is_none_or(|own| !own.starts.is_empty())
    }

    /// Index of the first token that has a surprisal.
    pub fn first_target(&self) -> usize {
        self.tokens() - self.nlls.len().min(self.tokens())
    }

    /// Σ −ln p over all tokens that have a surprisal, in nats.
    pub fn text_nll_nats(&self) -> f64 {
        sum_nats(&self.nlls)
    }

    /// The answer as it stands in the text, white space before it included.
    pub fn answer(&self) -> &str {
        self.prompt
            .len()
            .checked_sub(self.answer_bytes)
            .and_then(|at| self.prompt.get(at..))
            .unwrap_or_default()
    }

    /// Tokens of the answer, those of a text of which a part counts being that part.
    pub fn answer_token_count(&self) -> usize {
        self.counted.as_ref().map_or(self.answer_tokens.len(), |part| part.tokens)
    }

    /// Whether the token at `position` belongs to the answer.
    pub fn is_answer(&self, position: usize) -> bool {
        match &self.counted {
            Some(part) => part.ranges.iter().any(|range| range.contains(&position)),
            None => self.answer_tokens.contains(&position),
        }
    }

    /// Σ −ln p over the tokens of the answer, in nats; the first token of a text has no surprisal.
    pub fn answer_nll_nats(&self) -> f64 {
        if self.counted.is_some() {
            return self.sum_nll_nats;
        }
        let first = self.first_target();
        let start = self.answer_tokens.start.max(first) - first;
        sum_nats(self.nlls.get(start..).unwrap_or_default())
    }

    /// Whether the token at `position` is the likeliest after those before it; `None` if it was not scored.
    pub fn is_likeliest(&self, position: usize) -> Option<bool> {
        let place = position.checked_sub(self.first_target())?;
        self.likeliest.get(place).copied()
    }

    /// Whether the answer is what greedy decoding writes after its context: all its tokens are the likeliest at
    /// their places. False where one was not scored, as the first of a text on its own; true of an answer
    /// without tokens.
    pub fn is_greedy(&self) -> bool {
        let is_likeliest = |position: usize| self.is_likeliest(position) == Some(true);
        match &self.counted {
            Some(part) => part.ranges.iter().cloned().flatten().all(is_likeliest),
            None => self.answer_tokens.clone().all(is_likeliest),
        }
    }

    /// What OpenCompass calls perplexity: Σ nll / N in nats, where N counts all tokens although the
    /// first has no surprisal. Where only a part counts, N is the number of its tokens. Not
    /// exponentiated. With a normalizer, the difference of two such figures, in each of which N counts
    /// the tokens after the context.
    pub fn ppl(&self) -> f64 {
        let per_token = |sum_nats: f64, tokens: usize| sum_nats / tokens.max(1) as f64;
        match (&self.normalizer, &self.counted) {
            (None, None) => per_token(self.sum_nll_nats, self.tokens()),
            (None, Some(counted)) => per_token(self.sum_nll_nats, counted.tokens),
            (Some(other), _) => {
                let answer_tokens = self.tokens().saturating_sub(other.context_tokens);
                per_token(self.sum_nll_nats, answer_tokens)
                    - per_token(other.sum_nll_nats, other.answer_token_count())
            }
        }
    }

    /// What OpenCompass calls bits per byte: ppl × tokens / bytes of the testing input. Neither a power
    /// of two nor of the same text; kept because scripts read it.
    pub fn bpb(&self) -> f64 {
        self.ppl() * self.uncut_tokens as f64 / self.testing_input.len().max(1) as f64
    }

    /// The mean log-probability of the `percent` of its tokens that are the least likely, at least of one; as
    /// OpenCompass counts, of all tokens although the first has no surprisal. NaN for a text of one token.
    pub fn min_k_percent(&self, percent: usize) -> f64 {
        let mut nlls: Vec<f64> = self.nlls.iter().map(|nll| f64::from(*nll)).collect();
        nlls.sort_by(|left, right| right.total_cmp(left));
        nlls.truncate((self.tokens() * percent / 100).max(1));
        // Iterator::sum() of nothing is -0.0.
        -nlls.iter().fold(0.0, |sum, nll| sum + nll) / nlls.len() as f64
    }

    pub(super) fn hear(&mut self, ids: Arc<[u32]>, score: Score) {
        let (ids, Score { nlls, likeliest }) = text_tokens::scored(ids, score);
        self.sum_nll_nats = match &self.counted {
            None => sum_nats(&nlls),
            Some(counted) => counted.sum_nats(&nlls),
        };
        (self.ids, self.nlls, self.likeliest) = (ids, nlls, likeliest);
    }

    /// The same of a server's answer. Its tokens are known from here on; those of a text on its own are its answer.
    pub(super) fn hear_served(&mut self, ServedScore { tokens, nlls, likeliest }: ServedScore) {
        self.sum_nll_nats = sum_nats(&nlls);
        self.uncut_tokens = tokens.len();
        self.answer_tokens = 0..tokens.len();
        self.served = Some(Arc::new(tokens));
        (self.nlls, self.likeliest) = (nlls, likeliest);
    }
}

/// Surprisals summed in f64, in token order.
pub(super) fn sum_nats(nlls: &[f32]) -> f64 {
    // Iterator::sum() of nothing is -0.0.
    nlls.iter().fold(0.0, |sum, nll| sum + f64::from(*nll))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_sums_to_its_entries_and_divides_by_their_number() {
        let nlls = [0.5_f32, 1.25, 2.0, 4.5];
        let counted = CountedTokens::new(&[0..2, 3..5]);
        assert_eq!((counted.tokens, &*counted.ranges), (3, &[1..2, 3..5][..]));
        let sum: f64 = [nlls[0], nlls[2], nlls[3]].iter().map(|nll| f64::from(*nll)).sum();
        assert_eq!(counted.sum_nats(&nlls).to_bits(), sum.to_bits());
        let whole = CountedTokens::new(std::slice::from_ref(&(0..5)));
        assert_eq!(whole.sum_nats(&nlls).to_bits(), 8.25_f64.to_bits());
    }

    fn unanswered(answer_tokens: Range<usize>, counted: Option<&[Range<usize>]>) -> Candidate {
        Candidate {
            label: Json::Null,
            prompt: String::new(),
            testing_input: String::new(),
            answer_tokens,
            uncut_tokens: 6,
            bytes: 0,
            chars: 0,
            answer_bytes: 0,
            is_separated: false,
            ids: Arc::default(),
            served: None,
            nlls: Vec::new(),
            likeliest: Vec::new(),
            sum_nll_nats: 0.0,
            normalizer: None,
            counted: counted.map(CountedTokens::new),
        }
    }

    #[test]
    fn an_answer_is_greedy_if_all_its_tokens_are_the_likeliest() {
        let candidate = |answer_tokens: Range<usize>, counted: Option<&[Range<usize>]>| {
            let mut candidate = unanswered(answer_tokens, counted);
            let score = Score { nlls: vec![0.5; 4], likeliest: vec![true, false, true, true] };
            // Two tokens of context, the second of which is scored.
            candidate.hear((0..6).collect(), score);
            candidate
        };
        assert_eq!(
            (0..7).map(|at| candidate(4..6, None).is_likeliest(at)).collect::<Vec<_>>(),
            [None, None, Some(true), Some(false), Some(true), Some(true), None]
        );
        assert!(candidate(4..6, None).is_greedy());
        assert!(candidate(2..3, None).is_greedy());
        assert!(!candidate(3..6, None).is_greedy());
        // Not scored.
        assert!(!candidate(1..3, None).is_greedy());
        assert!(!candidate(4..7, None).is_greedy());
        // Only what counts.
        assert!(candidate(0..6, Some(&[2..3, 4..5])).is_greedy());
        assert!(!candidate(0..6, Some(&[2..4, 4..5])).is_greedy());
        assert!(!unanswered(1..2, None).is_greedy());
    }
}
