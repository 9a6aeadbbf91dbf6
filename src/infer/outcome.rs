//! Filling answers and texts into the outcome of a sample.

use std::sync::Arc;

use super::{
    Candidate, Continued, Counterpart, Exchange, Outcome, ServedCounts, ThinkingForm, Thought,
    served_answer, text_tokens,
};
use crate::{
    answer::{Answer, Answered, ServedScore},
    engine::{FinishReason, Score},
};

/// A text of a record, and whether other samples have the same, as in-context examples are.
pub type RecordText<'a> = (&'a mut String, bool);

impl Outcome {
    /// The outcome with its answers, one for each question in the order in which the sample's prompts were
    /// asked. A failed or missing answer makes the whole a failure.
    pub fn with_answers(mut self, answers: Vec<Answered>) -> Self {
        let mut answers = answers.into_iter();
        match self.hear(&mut answers) {
            Ok(()) => self,
            Err(error) => Self::Failed { error },
        }
    }

    fn hear(&mut self, answers: &mut dyn Iterator<Item = Answered>) -> Result<(), String> {
        match self {
            Self::Ranked { candidates, .. } if candidates.is_empty() => {
                Err("there is no candidate".to_owned())
            }
            Self::Ranked { candidates, counterparts, .. } => {
                let again = counterparts.iter_mut().flat_map(|other| &mut other.candidates);
                candidates.iter_mut().chain(again).try_for_each(|own| scored(own, answers))?;
                served_answer::mark(candidates);
                Ok(())
            }
            Self::Scored { candidate, .. } => scored(candidate, answers),
            Self::Windows { windows, .. } => {
                windows.iter_mut().try_for_each(|own| scored(own, answers))
            }
            Self::Generated { continuation, thinking, .. } => {
                generated(continuation, thinking.as_ref(), answers)?;
                let Some(form) = thinking else { return Ok(()) };
                let mut seconds = form.continued.iter();
                seconds.try_for_each(|_| answered_after(continuation, form, answers))
            }
            Self::Sampled { answers: count, continuations, thinking, .. } => {
                *continuations = vec![Continued::default(); *count];
                for own in &mut *continuations {
                    generated(own, thinking.as_ref(), answers)?;
                }
                let Some(form) = thinking else { return Ok(()) };
                for own in &form.continued {
                    if let Some(own) = continuations.get_mut(*own) {
                        answered_after(own, form, answers)?;
                    }
                }
                Ok(())
            }
            Self::Dialogue { exchanges, .. } => {
                for (turn, Exchange { continuation, thinking, .. }) in
                    exchanges.iter_mut().enumerate()
                {
                    generated(continuation, thinking.as_ref(), answers)
                        .map_err(|error| format!("turn {}: {error}", turn + 1))?;
                }
                Ok(())
            }
            Self::Given { .. } | Self::Retrieved { .. } | Self::Failed { .. } => Ok(()),
        }
    }

    /// Every candidate or text of it that was scored, those that were asked in other ways included.
    pub fn scored(&self) -> impl Iterator<Item = &Candidate> {
        let own = match self {
            Self::Ranked { candidates, .. } => candidates,
            Self::Scored { candidate, .. } => std::slice::from_ref(candidate),
            Self::Windows { windows, .. } => windows,
            _ => &[],
        };
        own.iter().chain(self.counterparts())
    }

    /// The candidates that were asked in other ways.
    pub fn counterparts(&self) -> impl Iterator<Item = &Candidate> {
        let counterparts: &[Counterpart] = match self {
            Self::Ranked { counterparts, .. } => counterparts,
            _ => &[],
        };
        counterparts.iter().flat_map(|other| &other.candidates)
    }

    /// How texts were continued in it.
    pub fn continuations(&self) -> Vec<&Continued> {
        match self {
            Self::Generated { continuation, .. } => vec![continuation],
            Self::Sampled { continuations, .. } => continuations.iter().collect(),
            Self::Dialogue { exchanges, .. } => {
                exchanges.iter().map(|exchange| &exchange.continuation).collect()
            }
            Self::Ranked { .. }
            | Self::Scored { .. }
            | Self::Windows { .. }
            | Self::Given { .. }
            | Self::Retrieved { .. }
            | Self::Failed { .. } => Vec::new(),
        }
    }

    /// Every text of it, always in the same order.
    pub fn texts(&mut self) -> Vec<RecordText<'_>> {
        match self {
            Self::Ranked { in_context_examples, candidates, counterparts, .. } => {
                let again = counterparts.iter_mut().flat_map(|other| &mut other.candidates);
                let own = candidates.iter_mut().chain(again).flat_map(candidate_texts);
                std::iter::once((in_context_examples, true)).chain(own).collect()
            }
            Self::Scored { candidate, .. } => candidate_texts(candidate),
            Self::Windows { windows, .. } => windows.iter_mut().flat_map(candidate_texts).collect(),
            Self::Generated { prompt, .. } | Self::Sampled { prompt, .. } => vec![(prompt, false)],
            Self::Dialogue { exchanges, .. } => {
                exchanges.iter_mut().map(|exchange| (&mut exchange.prompt, false)).collect()
            }
            Self::Retrieved { query, passages } => {
                let texts = passages.iter_mut().map(|passage| (&mut passage.text, true));
                std::iter::once((query, false)).chain(texts).collect()
            }
            Self::Given { .. } | Self::Failed { .. } => Vec::new(),
        }
    }
}

fn candidate_texts(candidate: &mut Candidate) -> Vec<RecordText<'_>> {
    let Candidate { prompt, testing_input, normalizer, .. } = candidate;
    let other = normalizer.as_mut().map(|other| (&mut other.prompt, false));
    [(prompt, false), (testing_input, false)].into_iter().chain(other).collect()
}

/// The surprisals of a text, by whoever computed them.
enum Surprisals {
    Here(Arc<[u32]>, Score),
    Served(ServedScore),
}

/// Takes the next answer, and for a candidate with a normalizer the one after it.
fn scored(
    candidate: &mut Candidate,
    answers: &mut dyn Iterator<Item = Answered>,
) -> Result<(), String> {
    let mut next = || match answers.next() {
        Some(Answered { ids, answer: Answer::Score(score) }) => Ok(Surprisals::Here(ids, score)),
        Some(Answered { answer: Answer::ServedScore(score), .. }) => Ok(Surprisals::Served(score)),
        other => Err(failure(other)),
    };
    let (ids, score) = match next()? {
        Surprisals::Here(ids, score) => (ids, score),
        Surprisals::Served(score) => {
            if score.nlls.is_empty() {
                let what = "the server scores no token of this text, since nothing stands before its first one; without a \
                            surprisal it would always be chosen";
                return Err(what.to_owned());
            }
            candidate.hear_served(score);
            return Ok(());
        }
    };
    candidate.hear(ids, score);
    if let Some(other) = &mut candidate.normalizer {
        let Surprisals::Here(ids, score) = next()? else { return Err(failure(None)) };
        other.sum_nll_nats = super::candidate::sum_nats(&score.nlls);
        (other.ids, other.nlls) = (ids, score.nlls);
    }
    Ok(())
}

fn generated(
    continuation: &mut Continued,
    thinking: Option<&ThinkingForm>,
    answers: &mut dyn Iterator<Item = Answered>,
) -> Result<(), String> {
    match answers.next() {
        Some(Answered { ids, answer: Answer::Generation(generation) }) => {
            let (thought, text) = match thinking {
                Some(form) => form.parted(&generation.text),
                None => (None, generation.text),
            };
            *continuation = Continued {
                prompt_ids: text_tokens::of_text(ids),
                text,
                thought,
                ids: generation.ids,
                finish: Some(generation.finish),
                served: None,
            };
            Ok(())
        }
        Some(Answered { answer: Answer::ServedText(own), .. }) => {
            let (thought, text) = match (own.reasoning, thinking) {
                (Some(text), _) => {
                    // Without an answer behind it, it was cut off.
                    let is_finished = !own.text.is_empty() || own.finish != FinishReason::Length;
                    (Some(Thought { text, is_finished }), own.text)
                }
                (None, Some(form)) => form.parted(&own.text),
                (None, None) => (None, own.text),
            };
            *continuation = Continued {
                text,
                thought,
                finish: Some(own.finish),
                served: Some(ServedCounts {
                    prompt_tokens: own.prompt_tokens,
                    new_tokens: own.new_tokens,
                }),
                ..Continued::default()
            };
            Ok(())
        }
        other => Err(failure(other)),
    }
}

/// Takes the answer that was asked for after thinking, or in the place of a text that was none.
fn answered_after(
    continuation: &mut Continued,
    form: &ThinkingForm,
    answers: &mut dyn Iterator<Item = Answered>,
) -> Result<(), String> {
    let mut thought = continuation.thought.take();
    if continuation.finish == Some(FinishReason::Stop) {
        // It stopped where thinking ends, before the mark.
        let own = thought.get_or_insert_with(|| Thought {
            text: continuation.text.trim().to_owned(),
            is_finished: true,
        });
        own.is_finished = true;
    }
    let form = ThinkingForm { is_opened: false, ..form.clone() };
    generated(continuation, Some(&form), answers)?;
    continuation.thought = match (thought, continuation.thought.take()) {
        (Some(first), Some(more)) => Some(Thought {
            text: format!("{}\n{}", first.text, more.text),
            is_finished: more.is_finished,
        }),
        (first, more) => first.or(more),
    };
    Ok(())
}

/// The engine answers in the kind it was asked; anything else is a defect that one sample reports.
fn failure(answer: Option<Answered>) -> String {
    match answer {
        Some(Answered { answer: Answer::Failed(error), .. }) => error,
        Some(_) => "the engine answered another kind of question; please report this".to_owned(),
        None => "a question has no answer".to_owned(),
    }
}
