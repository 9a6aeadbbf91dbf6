//! Another candidate is chosen although log-likelihoods agree: they are divided by other lengths.

use std::fmt;

use super::{Cause, CauseKind, Evidence};
use crate::{
    diff::{
        pair::Pair,
        side::{Answer, Request, SideSample},
    },
    report::grouped,
};

/// What may be compared of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    AnswerSum,
    AnswerPerToken,
    AnswerPerChar,
    AnswerPerByte,
    TextSum,
    TextPerToken,
}

const RULES: [Rule; 6] = [
    Rule::AnswerSum,
    Rule::AnswerPerToken,
    Rule::AnswerPerChar,
    Rule::AnswerPerByte,
    Rule::TextSum,
    Rule::TextPerToken,
];

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AnswerSum => "the sum over the answer",
            Self::AnswerPerToken => "the answer's mean per token",
            Self::AnswerPerChar => "the answer's mean per character",
            Self::AnswerPerByte => "the answer's mean per byte",
            Self::TextSum => "the sum over the whole text",
            Self::TextPerToken => "the whole text's mean per token",
        })
    }
}

impl Rule {
    /// A candidate's score; the largest wins.
    fn score(self, request: &Request) -> Option<f64> {
        let own = &request.likelihoods;
        // lm-eval's lengths are those of its choices, without the blank before them.
        let answer = || request.answer().map(str::trim_start);
        let (nats, length) = match self {
            Self::AnswerSum => (own.answer_nats?, 1),
            Self::AnswerPerToken => (own.answer_nats?, own.answer_tokens?),
            Self::AnswerPerChar => (own.answer_nats?, answer()?.chars().count()),
            Self::AnswerPerByte => (own.answer_nats?, answer()?.len()),
            Self::TextSum => (own.text_nats?, 1),
            Self::TextPerToken => (own.per_token_nats?, 1),
        };
        (length > 0).then(|| nats / length as f64)
    }

    /// The place of the candidate that wins among those of a sample; the first of equal ones.
    fn choice(self, sample: &SideSample) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for (place, request) in sample.requests.iter().enumerate() {
            let score = self.score(request)?;
            if best.is_none_or(|(_, most)| score > most) {
                best = Some((place, score));
            }
        }
        best.map(|(place, _)| place)
    }
}

/// Looks for a rule of each side that gives what it chose, on samples whose log-likelihoods agree.
pub(super) fn cause(evidence: &Evidence<'_>) -> Option<Cause> {
    let quantity = evidence.quantity?;
    let agrees = |pair: &Pair<'_>| {
        !pair.requests.is_empty()
            && pair.unaligned == 0
            && pair.requests.iter().all(|own| {
                own.difference_nats(quantity).is_some_and(|own| own.abs() <= evidence.tolerance)
            })
    };
    let chosen: Vec<(&Pair<'_>, [usize; 2])> = evidence
        .pairs
        .iter()
        .filter_map(|pair| match (&pair.left.answer, &pair.right.answer) {
            (Some(Answer::Choice(own)), Some(Answer::Choice(other))) => {
                Some((pair, [*own, *other]))
            }
            _ => None,
        })
        .filter(|(pair, _)| agrees(pair))
        .collect();
    let changed = chosen.iter().filter(|(pair, _)| pair.has_same_answer() == Some(false)).count();
    if changed == 0 {
        return None;
    }
    let all_changed =
        evidence.pairs.iter().filter(|pair| pair.has_same_answer() == Some(false)).count();
    // What a side does not tell, the other does: their log-likelihoods agree.
    let rule_of = |side: usize| {
        RULES.into_iter().find(|rule| {
            chosen.iter().all(|(pair, places)| {
                let samples = [pair.left, pair.right];
                let own = rule.choice(samples[side]).map(|choice| choice == places[side]);
                let by_other = || {
                    let choice = rule.choice(samples[1 - side])?;
                    let request =
                        pair.requests.iter().find(|own| own.places[1 - side] == choice)?;
                    Some(request.places[side] == places[side])
                };
                own.or_else(by_other) == Some(true)
            })
        })
    };
    let said = |side: usize| {
        let rule =
            rule_of(side).map_or("a rule that none here gives".to_owned(), |rule| rule.to_string());
        format!("{} chooses by {rule}", evidence.name(side))
    };
    let sentence = format!(
        "Normalisation: log-likelihoods agree, and another candidate is chosen in {} of {} samples; {}, {}.",
        grouped(changed),
        grouped(chosen.len()),
        said(0),
        said(1)
    );
    Some(Cause { kind: CauseKind::Normalisation, sentence, explained: changed, of: all_changed })
}
