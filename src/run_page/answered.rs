//! The texts of a sample as they were asked and answered.

use std::ops::Range;

use super::spelling::ReadText;
use crate::{
    engine::FinishReason,
    infer::{Candidate, Choice, Continued, Normalizer, Outcome, Record},
    model::media::Sight,
    python::python_str,
    report::page::SampleText,
    score::{self, Rule},
};

/// A sequence of tokens that a model read or wrote.
pub(crate) struct AnsweredTokens<'k> {
    /// What it read.
    pub(crate) read: ReadText<'k>,
    pub(crate) ids: &'k [u32],
    /// What it wrote after that.
    pub(crate) generated: &'k [u32],
    /// Surprisals of the last of `ids`.
    pub(crate) nlls: &'k [f32],
    /// What was read and written where no ids are known, as of a model behind a server: stretches of text, each with its
    /// surprisal if it is a token that was scored.
    pub(crate) stretches: Vec<(&'k str, Option<f32>)>,
    /// How many tokens were read, as far as that is known.
    pub(crate) count: usize,
}

impl AnsweredTokens<'_> {
    /// The surprisal of one of `ids`, or of what was generated behind them, if it has one.
    pub(super) fn nll(&self, token: usize) -> Option<f32> {
        let first_target = self.ids.len().saturating_sub(self.nlls.len());
        token.checked_sub(first_target).and_then(|at| self.nlls.get(at)).copied()
    }
}

/// A text, all but its tokens' places in the page.
pub(super) struct AnsweredText<'k> {
    pub(super) about: SampleText,
    pub(super) tokens: AnsweredTokens<'k>,
    pub(super) normalizer: Option<AnsweredTokens<'k>>,
}

/// The texts of a record; behind candidates, if `with_counterparts`, the same asked in other ways. `is_gold` says
/// whether choosing a candidate is right.
pub(super) fn texts<'k>(
    record: &'k Record,
    rule: &dyn Rule,
    is_gold: &dyn Fn(&Candidate) -> bool,
    with_counterparts: bool,
) -> Vec<AnsweredText<'k>> {
    let mut texts = texts_of(&record.outcome, rule, is_gold, with_counterparts);
    // They stand in the order in which they were asked.
    let own = texts
        .iter_mut()
        .flat_map(|text| std::iter::once(&mut text.tokens).chain(text.normalizer.as_mut()));
    for (tokens, images) in own.zip(&record.images) {
        if let (ReadText::Kept(text) | ReadText::Pictured(text, _), false) =
            (tokens.read, images.is_empty())
        {
            tokens.read = ReadText::Pictured(text, images);
        }
    }
    texts
}

fn texts_of<'k>(
    outcome: &'k Outcome,
    rule: &dyn Rule,
    is_gold: &dyn Fn(&Candidate) -> bool,
    with_counterparts: bool,
) -> Vec<AnsweredText<'k>> {
    match outcome {
        Outcome::Ranked { form, candidates, counterparts, .. } => {
            let choice = Choice { form: *form, candidates, counterparts };
            let scores = rule.scores(choice).unwrap_or_default();
            let chosen = score::chosen(rule, choice);
            let one = |(place, own): (usize, &'k Candidate)| {
                let mut text = scored(own, scores.get(place).copied());
                text.about.label = Some(python_str(&own.label));
                text.about.is_gold = is_gold(own);
                text.about.is_chosen = chosen == Some(place);
                text
            };
            let own = candidates.iter().enumerate().map(one);
            let shown = if with_counterparts { counterparts.as_slice() } else { &[] };
            let again = shown.iter().flat_map(|other| {
                let asked = candidates.iter().zip(&other.candidates);
                asked.map(|(own, again)| {
                    let mut text = scored(again, None);
                    text.about.label = Some(python_str(&own.label));
                    text.about.asked_as = Some(other.asking.to_string());
                    // It has no label of its own, by which an answer is known.
                    let answer =
                        again.answer_tokens.start..again.answer_tokens.end.min(again.tokens());
                    text.about.answer = Some(answer).filter(|range| !range.is_empty());
                    text
                })
            });
            own.chain(again).collect()
        }
        Outcome::Windows { windows, .. } => windows.iter().map(|own| scored(own, None)).collect(),
        Outcome::Scored { candidate, .. } => {
            let scores = rule.scores(Choice::single(candidate)).unwrap_or_default();
            vec![scored(candidate, scores.first().copied())]
        }
        Outcome::Generated { prompt, continuation, .. } => vec![continued(prompt, continuation)],
        Outcome::Sampled { prompt, continuations, .. } => {
            let answers = continuations.iter().enumerate().map(|(answer, own)| {
                let mut text = continued(prompt, own);
                text.about.turn = (continuations.len() > 1).then_some(answer);
                text
            });
            answers.collect()
        }
        Outcome::Dialogue { exchanges, .. } => {
            let turns = exchanges.iter().enumerate().map(|(turn, own)| {
                let mut text = continued(&own.prompt, &own.continuation);
                text.about.turn = (exchanges.len() > 1).then_some(turn);
                text
            });
            turns.collect()
        }
        Outcome::Given { .. } | Outcome::Retrieved { .. } | Outcome::Failed { .. } => Vec::new(),
    }
}

fn scored(own: &Candidate, score: Option<f64>) -> AnsweredText<'_> {
    // Of a dialogue that is scored the part before the last answer is kept, not the text that was read. Names of images are
    // no part of either.
    let read = if own.prompt.len() == own.bytes {
        ReadText::Kept(&own.prompt)
    } else if Sight::unmarked(&own.prompt).len() == own.bytes {
        ReadText::Pictured(&own.prompt, &[])
    } else {
        ReadText::Bytes(own.bytes)
    };
    let answer = answer(own).filter(|range| !range.is_empty());
    let is_long = answer.as_ref().is_some_and(|range| range.len() > 1);
    let normalizer = own.normalizer.as_deref().map(|other: &Normalizer| AnsweredTokens {
        read: ReadText::Kept(&other.prompt),
        ids: &other.ids,
        generated: &[],
        nlls: &other.nlls,
        stretches: Vec::new(),
        count: other.ids.len(),
    });
    AnsweredText {
        about: SampleText {
            score: score.and_then(|score| finite(score, 5)),
            sum_nats: finite(own.text_nll_nats(), 4),
            answer_nats: finite(own.answer_nll_nats(), 4).filter(|_| is_long),
            answer,
            ..SampleText::default()
        },
        tokens: AnsweredTokens {
            read,
            ids: &own.ids,
            generated: &[],
            nlls: if own.served.is_some() { &[] } else { &own.nlls },
            stretches: stretches(own),
            count: own.tokens(),
        },
        normalizer,
    }
}

/// The tokens of a text that was scored behind a server, as stretches of it; the whole text where their places are not
/// known.
fn stretches(own: &Candidate) -> Vec<(&str, Option<f32>)> {
    let Some(served) = &own.served else { return Vec::new() };
    let first = own.first_target();
    let ends = served.starts.iter().copied().skip(1).chain([own.prompt.len()]);
    let spelled: Option<Vec<&str>> =
        served.starts.iter().zip(ends).map(|(&start, end)| own.prompt.get(start..end)).collect();
    match spelled.filter(|own| !own.is_empty()) {
        None => vec![(own.prompt.as_str(), None)],
        Some(spelled) => {
            let nll = |place: usize| own.nlls.get(place.checked_sub(first)?).copied();
            spelled.into_iter().enumerate().map(|(place, text)| (text, nll(place))).collect()
        }
    }
}

/// Which tokens are the answer, if it is one stretch and not the whole text.
fn answer(own: &Candidate) -> Option<Range<usize>> {
    match &own.counted {
        Some(part) => match part.ranges.as_slice() {
            [range] => Some(range.clone()),
            _ => None,
        },
        None if own.label.is_null() => None,
        None => Some(own.answer_tokens.start..own.answer_tokens.end.min(own.tokens())),
    }
}

fn continued<'k>(prompt: &'k str, own: &'k Continued) -> AnsweredText<'k> {
    let read = own.prompt_ids.len();
    // Behind a server the reply is one stretch behind that of the prompt.
    let (answer, stretches) = match own.served {
        None => (read..read + own.ids.len(), Vec::new()),
        Some(_) => (1..2, vec![(prompt, None), (own.text.as_str(), None)]),
    };
    let finish = own.finish.map(|reason| match reason {
        FinishReason::Eos => "end of sequence",
        FinishReason::Stop => "stop string",
        FinishReason::Length => "length",
    });
    AnsweredText {
        about: SampleText {
            answer: Some(answer),
            reply: Some(own.text.clone()),
            finish: finish.map(str::to_owned),
            ..SampleText::default()
        },
        tokens: AnsweredTokens {
            read: ReadText::Kept(prompt),
            ids: &own.prompt_ids,
            generated: &own.ids,
            nlls: &[],
            stretches,
            count: own.prompt_tokens().unwrap_or(0),
        },
        normalizer: None,
    }
}

/// A number with as many decimals as the page needs; none if it is not one.
pub(super) fn finite(number: f64, decimals: i32) -> Option<f64> {
    let unit = 10_f64.powi(decimals);
    let rounded = (number * unit).round() / unit;
    // What is too large to be rounded is written as it is.
    Some(if rounded.is_finite() { rounded } else { number }).filter(|number| number.is_finite())
}
