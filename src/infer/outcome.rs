//! Filling answers and texts into the outcome of a sample.

use super::{Candidate, Continued, Counterpart, Exchange, Outcome};
use crate::answer::{Answer, Answered};

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
                candidates.iter_mut().chain(again).try_for_each(|own| scored(own, answers))
            }
            Self::Scored { candidate } => scored(candidate, answers),
            Self::Generated { continuation, .. } => generated(continuation, answers),
            Self::Dialogue { exchanges, .. } => {
                for (turn, Exchange { continuation, .. }) in exchanges.iter_mut().enumerate() {
                    generated(continuation, answers)
                        .map_err(|error| format!("turn {}: {error}", turn + 1))?;
                }
                Ok(())
            }
            Self::Failed { .. } => Ok(()),
        }
    }

    /// Every candidate or text of it that was scored, those that were asked in other ways included.
    pub fn scored(&self) -> impl Iterator<Item = &Candidate> {
        let own = match self {
            Self::Ranked { candidates, .. } => candidates,
            Self::Scored { candidate } => std::slice::from_ref(candidate),
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

    /// Every text of it, always in the same order.
    pub fn texts(&mut self) -> Vec<RecordText<'_>> {
        match self {
            Self::Ranked { in_context_examples, candidates, counterparts } => {
                let again = counterparts.iter_mut().flat_map(|other| &mut other.candidates);
                let own = candidates.iter_mut().chain(again).flat_map(candidate_texts);
                std::iter::once((in_context_examples, true)).chain(own).collect()
            }
            Self::Scored { candidate } => candidate_texts(candidate),
            Self::Generated { prompt, .. } => vec![(prompt, false)],
            Self::Dialogue { exchanges, .. } => {
                exchanges.iter_mut().map(|exchange| (&mut exchange.prompt, false)).collect()
            }
            Self::Failed { .. } => Vec::new(),
        }
    }
}

fn candidate_texts(candidate: &mut Candidate) -> Vec<RecordText<'_>> {
    let Candidate { prompt, testing_input, normalizer, .. } = candidate;
    let other = normalizer.as_mut().map(|other| (&mut other.prompt, false));
    [(prompt, false), (testing_input, false)].into_iter().chain(other).collect()
}

/// Takes the next answer, and for a candidate with a normalizer the one after it.
fn scored(
    candidate: &mut Candidate,
    answers: &mut dyn Iterator<Item = Answered>,
) -> Result<(), String> {
    let mut next = || match answers.next() {
        Some(Answered { ids, answer: Answer::Score(score) }) => Ok((ids, score.nlls)),
        other => Err(failure(other)),
    };
    let (ids, nlls) = next()?;
    candidate.hear(ids, nlls);
    if let Some(other) = &mut candidate.normalizer {
        let (ids, nlls) = next()?;
        other.sum_nll_nats = super::record::sum_nats(&nlls);
        (other.ids, other.nlls) = (ids, nlls);
    }
    Ok(())
}

fn generated(
    continuation: &mut Continued,
    answers: &mut dyn Iterator<Item = Answered>,
) -> Result<(), String> {
    match answers.next() {
        Some(Answered { ids, answer: Answer::Generation(generation) }) => {
            *continuation = Continued {
                prompt_ids: ids,
                text: generation.text,
                ids: generation.ids,
                finish: Some(generation.finish),
            };
            Ok(())
        }
        other => Err(failure(other)),
    }
}

/// The engine answers in the kind it was asked; anything else is a defect that one sample reports.
fn failure(answer: Option<Answered>) -> String {
    match answer {
        Some(Answered { answer: Answer::Failed(error), .. }) => error,
        Some(_) => "the engine answered another kind of question; please report this".to_owned(),
        None => "a question has no answer".to_owned(),
    }
}
