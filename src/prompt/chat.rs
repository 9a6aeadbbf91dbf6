//! OpenCompass's chats: a sample as messages, one request for each answer of the assistant.
//!
//! `ChatInferencer` does not write a prompt out of sections. It makes one list of messages of a
//! sample, and a model reads them one by one, without the rounds that a meta template would put them
//! into. Unlike [`MultiTurn`](super::MultiTurn), nothing is masked: the gold answers are the
//! assistant's messages, and a request holds what stands before one of them.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::{
    Content, DialogueMode, Message, Prompt, PromptError, PromptItem, PromptTemplate,
    turn::{BOT, HUMAN, SYSTEM},
};
use crate::dataset::Sample;

const ASSISTANT: &str = "assistant";

/// The column that makes a chat a dialogue whose records are its rounds.
const DIALOGUE: &str = "dialogue";

/// What a chat is made of.
#[derive(Clone, Copy, Debug)]
pub struct ChatColumns<'a> {
    /// The columns of the question.
    pub input: &'a [String],
    /// The column of the gold answer.
    pub output: Option<&'a str>,
    /// How an exchange is written; without one, the user says the only input column.
    pub template: Option<&'a PromptTemplate>,
}

/// A chat under way.
#[derive(Clone, Debug)]
pub struct Chat {
    messages: Vec<Message>,
    /// Where the assistant speaks.
    answers: Vec<usize>,
    mode: DialogueMode,
    asked: usize,
    is_dialogue: bool,
}

impl Chat {
    /// Starts a chat, in which the assistant must speak.
    fn new(messages: Vec<Message>, mode: DialogueMode) -> Result<Self, PromptError> {
        let speaks = |index: &usize| messages.get(*index).is_some_and(|own| own.role == ASSISTANT);
        let answers: Vec<usize> = (0..messages.len()).filter(speaks).collect();
        let last = answers.len().checked_sub(1).ok_or_else(|| {
            refused("no message is the assistant's, so there is no answer to ask for")
        })?;
        let asked = if mode == DialogueMode::Last { last } else { 0 };
        Ok(Self { messages, answers, mode, asked, is_dialogue: false })
    }

    /// The messages of the next request, until there is none.
    pub fn request(&self) -> Option<&[Message]> {
        self.messages.get(..*self.answers.get(self.asked)?)
    }

    /// The gold answer to the next request.
    pub fn gold(&self) -> Option<&Content> {
        Some(&self.messages.get(*self.answers.get(self.asked)?)?.content)
    }

    /// Goes on to the next request, having got `reply`.
    pub fn answered(&mut self, reply: &str) {
        if self.mode == DialogueMode::Every
            && let Some(answer) = self.answers.get(self.asked)
            && let Some(message) = self.messages.get_mut(*answer)
        {
            *message = Message::new(ASSISTANT, reply);
        }
        self.asked += 1;
    }

    /// Whether it is kept as rounds of user and assistant, without golds: a column of messages beside
    /// other columns, which OpenCompass evaluates by judging.
    pub fn is_dialogue(&self) -> bool {
        self.is_dialogue
    }
}

impl ChatColumns<'_> {
    /// Starts the chat of a sample. Columns of texts make one exchange, columns of lists of texts one
    /// per turn as long as all last, and a column of messages is the chat itself.
    pub fn chat(&self, sample: &Sample, mode: DialogueMode) -> Result<Chat, PromptError> {
        let columns: Vec<(&str, &Json)> =
            sample.iter().filter(|(name, _)| self.reads(name)).collect();
        if columns.iter().all(|(_, value)| value.is_string()) {
            return Chat::new(self.exchange(&row(columns))?, mode);
        }
        let lists: Option<Vec<(&str, &[Json])>> =
            columns.iter().map(|(name, value)| Some((*name, texts(value)?))).collect();
        if let Some(lists) = lists {
            return Chat::new(self.exchanges(&lists)?, mode);
        }
        match self.input {
            [only] if is_messages(sample.get(only)) => Chat::new(parsed(sample, only)?, mode),
            input if input.iter().any(|column| column == DIALOGUE) => {
                let messages = parsed(sample, DIALOGUE)?;
                if mode == DialogueMode::Every && !alternates(&messages) {
                    return Err(refused(
                        "the column \"dialogue\" must go from user to assistant in turns, because its rounds are kept",
                    ));
                }
                Ok(Chat { is_dialogue: true, ..Chat::new(messages, mode)? })
            }
            _ => Err(refused(&format!(
                "the columns {} must be texts, or lists of texts, or a single list of messages (dicts with role \
                 and content)",
                columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
            ))),
        }
    }

    fn reads(&self, column: &str) -> bool {
        self.output == Some(column) || self.input.iter().any(|own| own == column)
    }

    /// One exchange per turn, as long as all columns last.
    fn exchanges(&self, lists: &[(&str, &[Json])]) -> Result<Vec<Message>, PromptError> {
        let turns = lists.iter().map(|(_, list)| list.len()).min().unwrap_or(0);
        let turn = |index: usize| {
            self.exchange(&row(lists
                .iter()
                .filter_map(|(name, list)| Some((*name, list.get(index)?)))))
        };
        Ok((0..turns).map(turn).collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// A question and its answer.
    fn exchange(&self, entry: &Sample) -> Result<Vec<Message>, PromptError> {
        let text = |column: &str| entry.get(column).and_then(Json::as_str).unwrap_or_default();
        let gold = self.output.map(text).unwrap_or_default();
        let mut messages = match (self.template, self.input) {
            (Some(template), _) => {
                spoken(template.generation(entry, &Prompt::Text(String::new()), None)?)
            }
            (None, [only]) => vec![Message::user(text(only))],
            (None, columns) => {
                return Err(refused(&format!(
                    "without a prompt_template there must be one input column, and there are {}; add a \
                     prompt_template",
                    columns.len()
                )));
            }
        };
        if messages.last().is_none_or(|last| last.role != ASSISTANT) {
            messages.push(Message::new(ASSISTANT, gold));
        }
        Ok(messages)
    }
}

/// A written template as messages; texts without a role are the user's, and of roles only the three
/// that a chat knows are heard.
fn spoken(prompt: Prompt) -> Vec<Message> {
    let items = match prompt {
        Prompt::Text(text) => return vec![Message::user(text)],
        Prompt::Messages(messages) => return messages,
        Prompt::List(list) => list.0,
    };
    let message = |item: PromptItem| match item {
        PromptItem::Text(text) if !text.is_empty() => Some(Message::user(text)),
        PromptItem::Turn(turn) => {
            let role = chat_role(turn.role.as_deref()?)?;
            Some(Message::new(role, turn.text()))
        }
        _ => None,
    };
    items.into_iter().filter_map(message).collect()
}

fn chat_role(role: &str) -> Option<&'static str> {
    match role {
        SYSTEM => Some("system"),
        HUMAN => Some("user"),
        BOT => Some(ASSISTANT),
        _ => None,
    }
}

/// A list of texts, which may be empty.
fn texts(value: &Json) -> Option<&[Json]> {
    value.as_array().map(Vec::as_slice).filter(|items| items.iter().all(Json::is_string))
}

fn is_messages(value: Option<&Json>) -> bool {
    value.and_then(Json::as_array).is_some_and(|items| items.iter().all(Json::is_object))
}

fn alternates(messages: &[Message]) -> bool {
    messages.chunks(2).all(|round| {
        matches!(round, [user, assistant] if user.role != ASSISTANT && assistant.role == ASSISTANT)
    })
}

fn row<'a>(columns: impl IntoIterator<Item = (&'a str, &'a Json)>) -> Sample {
    let owned = columns.into_iter().map(|(name, value)| (name.to_owned(), value.clone()));
    Sample::new(owned.collect())
}

/// A column of messages. A message may say nothing, which is an empty text.
fn parsed(sample: &Sample, column: &str) -> Result<Vec<Message>, PromptError> {
    #[derive(Deserialize)]
    struct Written {
        role: String,
        content: Option<Content>,
        #[serde(flatten)]
        further: Map<String, Json>,
    }
    let value = sample.get(column).unwrap_or(&Json::Null);
    let written = Vec::<Written>::deserialize(value).map_err(|error| {
        refused(&format!(
            "the column {column:?} must be a list of messages, dicts with role and content ({error})"
        ))
    })?;
    let message = |Written { role, content, mut further }| {
        further.retain(|_, value| !value.is_null());
        Message { role, content: content.unwrap_or_else(|| Content::from("")), further }
    };
    Ok(written.into_iter().map(message).collect())
}

fn refused(what: &str) -> PromptError {
    PromptError::NoChat { what: what.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chat(input: &[&str], row: &Json) -> Result<Chat, PromptError> {
        let input: Vec<String> = input.iter().map(|name| (*name).to_owned()).collect();
        let columns = ChatColumns { input: &input, output: Some("gold"), template: None };
        let values = row.as_object().unwrap().iter();
        columns.chat(
            &super::row(values.map(|(name, value)| (name.as_str(), value))),
            DialogueMode::Every,
        )
    }

    #[test]
    fn the_shortest_list_ends_the_chat_and_other_columns_are_not_read() {
        let chat = chat(&["q"], &json!({"q": ["a", "b", "c"], "gold": ["x", "y"], "idx": 3}));
        let said = chat.unwrap().messages;
        let said: Vec<&str> = said.iter().filter_map(|message| message.content.text()).collect();
        assert_eq!(said, ["a", "x", "b", "y"]);
    }

    #[test]
    fn a_column_of_messages_beside_others_is_a_dialogue() {
        let said = json!([{"role": "user", "content": "a"}, {"role": "assistant"}]);
        let beside = |dialogue: &Json| {
            chat(&["dialogue", "topic"], &json!({"dialogue": dialogue, "topic": "t", "gold": 1}))
        };
        assert!(beside(&said).unwrap().is_dialogue());
        assert!(!chat(&["dialogue"], &json!({"dialogue": said})).unwrap().is_dialogue());
        let error = beside(&json!([said[0], said[0], said[1]])).unwrap_err();
        assert!(error.to_string().contains("in turns"), "{error}");
    }

    #[test]
    fn other_columns_are_refused() {
        let refusal = |row: &Json| chat(&["q"], row).unwrap_err().to_string();
        let mixed = refusal(&json!({"q": ["a"], "gold": 3}));
        assert!(mixed.contains("q, gold must be texts"), "{mixed}");
        let broken = refusal(&json!({"q": [{"role": 1}], "gold": 3}));
        assert!(broken.contains("\"q\" must be a list of messages"), "{broken}");
        let silent = refusal(&json!({"q": [{"role": "user", "content": "a"}]}));
        assert!(silent.contains("no answer to ask for"), "{silent}");
    }
}
