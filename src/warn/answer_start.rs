//! Where the candidates' own text begins, and whether a token begins there.

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::infer::{PreparedPrompt, shared_bytes, start_in_stretch};

/// Longer stretches are not remembered: they seldom come again.
const REMEMBERED_BYTES: usize = 64;

/// What stands before the candidates' own text in the token that it begins in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerStart {
    /// Empty where a token begins.
    joined: String,
}

/// Part of a word stands before it, which all candidates share.
pub(super) fn inside_token(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let found = start(subject, asked).filter(|start| !start.joined.trim().is_empty());
    let told = found.map(|AnswerStart { joined }| {
        Finding::new(format!(
            "what differs does not begin a token: {joined:?} before it, which all candidates share, is tokenised \
             together with it"
        ))
    });
    told.into_iter().collect()
}

/// White space stands before it.
pub(super) fn joins_space(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let is_space =
        |start: &&AnswerStart| !start.joined.is_empty() && start.joined.trim().is_empty();
    let told = start(subject, asked).filter(is_space).map(|AnswerStart { joined }| {
        Finding::new(format!(
            "what differs is tokenised together with the {joined:?} before it; with the space in the label the texts \
             are the same"
        ))
    });
    told.into_iter().collect()
}

fn start<'a>(subject: &Subject<'_>, asked: &'a Asked<'_>) -> Option<&'a AnswerStart> {
    asked.start.get_or_init(|| find(subject, asked)).as_ref()
}

fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Option<AnswerStart> {
    let candidates: Vec<&PreparedPrompt> = asked.candidates().collect();
    if candidates.iter().any(|prompt| prompt.truncated_tokens > 0) {
        return None;
    }
    let (first, others) = candidates.split_first()?;
    let at = others.iter().map(|other| shared_bytes(&first.text, &other.text)).min()?;
    let own = candidates.iter().filter(|prompt| prompt.text.len() > at);
    let starts: Option<Vec<usize>> =
        own.map(|prompt| token_start(subject, &prompt.text, at)).collect();
    let start = starts?.into_iter().min()?;
    Some(AnswerStart { joined: first.text.get(start..at)?.to_owned() })
}

/// The byte at which the token begins that holds byte `at`; none without a tokenizer.
fn token_start(subject: &Subject<'_>, text: &str, at: usize) -> Option<usize> {
    let tokenizer = subject.task.tokenizer;
    let stretch = tokenizer.stretch(text, at);
    let (begins, inside) = (stretch.start == 0, at - stretch.start);
    let written = text.get(stretch.clone())?;
    let encode = || start_in_stretch(tokenizer, written, begins, inside);
    let start = if written.len() > REMEMBERED_BYTES || begins {
        encode()
    } else {
        subject.remembered_start(written, inside, encode)
    };
    Some(stretch.start + start?)
}
