//! The wordings of a row, the answer to each, and how likely each answer is after each wording: what prompt
//! sensitivity is computed from. `posix` reads them from the store and has what is missing scored.

use std::collections::HashMap;

use crate::{
    infer::{Outcome, Record},
    score::{self, Rule},
};

/// A row with its wordings and the answer to each.
pub(super) struct WordedSample {
    pub(super) contexts: Vec<Vec<u32>>,
    pub(super) responses: Vec<Vec<u32>>,
    /// −ln p in nats of each response (second) after each context (first), where it is known.
    pub(super) sums_nats: Vec<Vec<Option<f64>>>,
}

/// One wording of a row: what the model has read, and what it answered.
pub(super) struct Wording {
    context: Vec<u32>,
    response: Vec<u32>,
    /// −ln p in nats of whole texts that were scored anyhow, each from the end of the context on.
    scored: HashMap<Vec<u32>, f64>,
}

impl Wording {
    /// Nothing where there is no answer of a token, or candidates do not begin alike.
    pub(super) fn of(record: &Record, rule: &dyn Rule) -> Option<Self> {
        let wording = match &record.outcome {
            Outcome::Generated { continuation, .. } => Self {
                context: continuation.prompt_ids.to_vec(),
                response: continuation.ids.clone(),
                scored: HashMap::new(),
            },
            Outcome::Ranked { candidates, .. } => {
                let chosen = score::chosen(rule, record.outcome.choice()?)?;
                let start = candidates.first()?.answer_tokens.start;
                let context = candidates.first()?.ids.get(..start)?;
                let begins_alike = |ids: &[u32]| ids.get(..start) == Some(context);
                if !candidates.iter().all(|own| begins_alike(&own.ids)) {
                    return None;
                }
                let scored = candidates.iter().filter_map(|own| {
                    let from = start.checked_sub(own.first_target())?;
                    let sum = own.nlls.get(from..)?.iter().map(|&nll| f64::from(nll)).sum();
                    Some((own.ids.to_vec(), sum))
                });
                Self {
                    context: context.to_vec(),
                    response: candidates.get(chosen)?.ids.get(start..)?.to_vec(),
                    scored: scored.collect(),
                }
            }
            Outcome::Scored { .. }
            | Outcome::Windows { .. }
            | Outcome::Sampled { .. }
            | Outcome::Dialogue { .. }
            | Outcome::Given { .. }
            | Outcome::Retrieved { .. }
            | Outcome::Failed { .. } => return None,
        };
        (!wording.context.is_empty() && !wording.response.is_empty()).then_some(wording)
    }
}

impl WordedSample {
    /// Nothing where a wording has none, or where a text would have more than `max_seq_len_tokens`.
    pub(super) fn of(wordings: Vec<Option<Wording>>, max_seq_len_tokens: usize) -> Option<Self> {
        let wordings: Vec<Wording> = wordings.into_iter().collect::<Option<_>>()?;
        let longest = |part: fn(&Wording) -> usize| wordings.iter().map(part).max().unwrap_or(0);
        if longest(|own| own.context.len()) + longest(|own| own.response.len()) > max_seq_len_tokens
        {
            return None;
        }
        let sum = |context: &Wording, response: &Wording| {
            let text = [context.context.as_slice(), &response.response].concat();
            context.scored.get(&text).copied()
        };
        let sums_nats = wordings
            .iter()
            .map(|context| wordings.iter().map(|response| sum(context, response)).collect())
            .collect();
        let (contexts, responses) =
            wordings.into_iter().map(|own| (own.context, own.response)).unzip();
        Some(Self { contexts, responses, sums_nats })
    }

    /// The pairs of context and response whose likelihood is not known.
    pub(super) fn unknown(&self) -> impl Iterator<Item = (usize, usize)> {
        self.sums_nats.iter().enumerate().flat_map(|(context, sums)| {
            let unknown = sums.iter().enumerate().filter(|(_, sum)| sum.is_none());
            unknown.map(move |(response, _)| (context, response))
        })
    }

    /// Its index; nothing if a likelihood is missing or no number.
    pub(super) fn index_nats_per_token(&self) -> Option<f64> {
        let count = self.contexts.len();
        let mut total = 0.0;
        for (response, ids) in self.responses.iter().enumerate() {
            let own = self.sums_nats[response][response]?;
            for context in (0..count).filter(|context| *context != response) {
                total += (self.sums_nats[context][response]? - own).abs() / ids.len() as f64;
            }
        }
        Some(total / (count * (count - 1)) as f64).filter(|index| index.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wording(context: &[u32], response: &[u32]) -> Wording {
        Wording { context: context.to_vec(), response: response.to_vec(), scored: HashMap::new() }
    }

    #[test]
    fn the_index_is_the_mean_change_of_an_answers_log_likelihood_per_token() {
        let wordings = vec![Some(wording(&[0, 1], &[5, 6])), Some(wording(&[0, 2], &[7]))];
        let mut sample = WordedSample::of(wordings, 4).unwrap();
        assert_eq!(sample.unknown().collect::<Vec<_>>(), [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!(sample.index_nats_per_token(), None);
        // The first answer has two tokens and is 3 nats less likely after the second wording, the other one 1 nat:
        // the mean of 3/2 and 1.
        sample.sums_nats = vec![vec![Some(2.0), Some(3.0)], vec![Some(5.0), Some(2.0)]];
        assert_eq!(sample.index_nats_per_token(), Some(1.25));
    }

    #[test]
    fn what_was_scored_anyhow_is_not_asked() {
        let mut first = wording(&[0, 1], &[5]);
        first.scored = [(vec![0, 1, 5], 0.5), (vec![0, 1, 6], 1.5)].into();
        let sample = WordedSample::of(vec![Some(first), Some(wording(&[0, 2], &[6]))], 9).unwrap();
        assert_eq!(sample.sums_nats[0], [Some(0.5), Some(1.5)]);
        assert_eq!(sample.unknown().collect::<Vec<_>>(), [(1, 0), (1, 1)]);
    }

    #[test]
    fn a_row_needs_an_answer_to_every_wording_that_fits() {
        assert!(WordedSample::of(vec![Some(wording(&[0], &[1])), None], 9).is_none());
        assert!(
            WordedSample::of(vec![Some(wording(&[0], &[1])), Some(wording(&[0, 1], &[2]))], 2)
                .is_none()
        );
    }
}
