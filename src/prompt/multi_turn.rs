//! AISBench's multi-turn dialogues: several questions to a sample, one request for each answer.
//!
//! The template's round is written once per question. Its `BOT` turns are the places where the model
//! speaks; [`MultiTurn`] gives the request for each of them in turn, and is told the answers.

use serde::Deserialize;
use serde_json::Value as Json;

use super::{Prompt, PromptError, PromptItem, PromptList, Section, form::Dialogue, turn::BOT};
use crate::{config::Origin, dataset::Sample};

/// AISBench's name of this template.
pub(super) const KIND: &str = "MultiTurnPromptTemplate";

/// What the model sees of the answers before the one it is asked for (`infer_mode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MultiTurnMode {
    /// Its own.
    #[default]
    Every,
    /// The gold ones, and it is asked for every one.
    EveryWithGt,
    /// The gold ones, and it is asked for the last only.
    Last,
}

impl MultiTurnMode {
    /// Which of a list of `max_out_len` holds: the first, or the last when only the last answer is
    /// asked for.
    pub fn max_out_len(self, list: &[usize]) -> Option<usize> {
        match self {
            Self::Every | Self::EveryWithGt => list.first().copied(),
            Self::Last => list.last().copied(),
        }
    }
}

/// A dialogue under way.
#[derive(Clone, Debug)]
pub struct MultiTurn {
    items: Vec<PromptItem>,
    /// Where the model speaks.
    answers: Vec<usize>,
    /// Where the round closes.
    close: usize,
    mode: MultiTurnMode,
    asked: usize,
}

impl MultiTurn {
    /// Starts a dialogue. The prompt needs a `round` in which `BOT` speaks.
    pub fn new(prompt: Prompt, mode: MultiTurnMode) -> Result<Self, PromptError> {
        let Prompt::List(PromptList(items)) = prompt else {
            return Err(PromptError::NoAnswer);
        };
        let find = |marker: &PromptItem| items.iter().position(|item| item == marker);
        let open = find(&PromptItem::Open(Section::Round));
        let close = find(&PromptItem::Close(Section::Round));
        let (Some(open), Some(close)) = (open, close) else { return Err(PromptError::NoAnswer) };
        let answers: Vec<usize> =
            (open..close).filter(|index| items.get(*index).is_some_and(is_answer)).collect();
        let last = answers.len().checked_sub(1).ok_or(PromptError::NoAnswer)?;
        let asked = if mode == MultiTurnMode::Last { last } else { 0 };
        Ok(Self { items, answers, close, mode, asked })
    }

    /// The prompt of the next request, until there is none: all before the answer that is asked for,
    /// and the `end` section.
    pub fn request(&self) -> Option<Prompt> {
        let answer = *self.answers.get(self.asked)?;
        let mut items = self.items[..answer].to_vec();
        items.extend_from_slice(&self.items[self.close..]);
        Some(Prompt::List(PromptList(items)))
    }

    /// Goes on to the next request, having got `reply`.
    pub fn answered(&mut self, reply: &str) {
        if self.mode == MultiTurnMode::Every
            && let Some(answer) = self.answers.get(self.asked)
            && let Some(PromptItem::Turn(turn)) = self.items.get_mut(*answer)
        {
            turn.prompt = Some(reply.to_owned());
        }
        self.asked += 1;
    }
}

fn is_answer(item: &PromptItem) -> bool {
    matches!(item, PromptItem::Turn(turn) if turn.role.as_deref() == Some(BOT))
}

/// Finds what is wrong with a template before there is a sample.
pub(super) fn check(dialogue: &Dialogue, origin: &Origin) -> Result<(), PromptError> {
    let what = if let Some(text) = dialogue.items().find_map(|item| match item {
        PromptItem::Text(text) => Some(text),
        _ => None,
    }) {
        format!("a {KIND} holds the text {text:?}; every item must be a dict with role and prompt")
    } else if dialogue.round.iter().any(is_answer) {
        return Ok(());
    } else {
        format!("the round of a {KIND} needs a BOT turn, whose answer is asked for")
    };
    Err(PromptError::Template { origin: origin.clone(), what })
}

/// The dialogue of a sample: the round once for each pair of the lists `question` and `answer`, as long
/// as both last. Only these two columns are filled in, and only in the round; the gold answers stand in
/// the `BOT` turns, where no request shows them before their time.
pub(super) fn written(dialogue: &Dialogue, sample: &Sample) -> Result<PromptList, PromptError> {
    let (questions, answers) = (list(sample, "question")?, list(sample, "answer")?);
    let template = PromptList(dialogue.round.clone());
    let round = questions.iter().zip(answers).flat_map(|(question, answer)| {
        let pair = [("question", question), ("answer", answer)]
            .map(|(column, value)| (column.to_owned(), value.clone()));
        template.filled(&Sample::new(pair.to_vec())).0
    });
    Ok(dialogue.with_round(round.collect()).encoded(Section::Round))
}

fn list<'a>(sample: &'a Sample, column: &str) -> Result<&'a [Json], PromptError> {
    match sample.get(column) {
        Some(Json::Array(values)) => Ok(values),
        other => Err(PromptError::Column {
            kind: KIND,
            column: column.to_owned(),
            expected: "a list",
            found: other.map_or_else(|| "no such column".to_owned(), ToString::to_string),
        }),
    }
}
