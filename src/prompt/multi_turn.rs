//! AISBench's multi-turn dialogues: several questions to a sample, one request for each answer.
//!
//! The template's round is written once per question. Its `BOT` turns are the places where the model
//! speaks; [`MultiTurn`] gives the request for each of them in turn, and is told the answers.

use serde_json::Value as Json;

use super::{
    DialogueMode, Prompt, PromptError, PromptItem, PromptList, Section, form::Dialogue, turn::BOT,
};
use crate::{config::Origin, dataset::Sample};

/// AISBench's name of this template.
pub(super) const KIND: &str = "MultiTurnPromptTemplate";

/// A dialogue that is being held: the turns so far, and what is asked next.
#[derive(Clone, Debug)]
pub struct MultiTurn {
    items: Vec<PromptItem>,
    /// Where the model speaks.
    answers: Vec<usize>,
    /// Where the round closes.
    close: usize,
    mode: DialogueMode,
    asked: usize,
}

impl MultiTurn {
    /// Starts a dialogue. The prompt needs a `round` in which `BOT` speaks.
    pub fn new(prompt: Prompt, mode: DialogueMode) -> Result<Self, PromptError> {
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
        let asked = if mode == DialogueMode::Last { last } else { 0 };
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

    /// The gold answer to the next request.
    pub fn gold(&self) -> &str {
        match self.answers.get(self.asked).and_then(|answer| self.items.get(*answer)) {
            Some(PromptItem::Turn(turn)) => turn.text(),
            _ => "",
        }
    }

    /// Takes the model's reply and goes on to the next request.
    pub fn answered(&mut self, reply: &str) {
        if self.mode == DialogueMode::Every
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
