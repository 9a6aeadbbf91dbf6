//! `RawPromptTemplate`: chat messages, written as such.
//!
//! No roles to be mapped, no sections and no masking: the messages of the config, their fields filled,
//! are what the model gets. A few-shot example is messages too.

use serde::Deserialize;

use super::{Content, Message, Prompt, PromptError, fill::fill};
use crate::{
    config::{Node, Value, from_node},
    dataset::Sample,
};

/// OpenCompass's name of this template.
pub(super) const KIND: &str = "RawPromptTemplate";

/// The messages of a template.
#[derive(Clone, Debug)]
pub(super) struct MessageTemplate {
    items: Vec<Item>,
    fills_fields: bool,
}

#[derive(Clone, Debug)]
enum Item {
    /// A message with fields.
    Message(Message),
    /// The messages that a column of the sample holds.
    Column(String),
    /// The place of the examples, if it is the `ice_token`.
    Token(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expansion {
    expand_column: String,
}

impl MessageTemplate {
    /// Reads the list `messages`.
    pub(super) fn from_node(messages: &Node, fills_fields: bool) -> Result<Self, PromptError> {
        let items: Vec<Node> = from_node(messages)?;
        let items = items.iter().map(Item::from_node).collect::<Result<_, _>>()?;
        Ok(Self { items, fills_fields })
    }

    /// The messages of a sample, `examples` where `ice_token` stands. Other strings are left out, and a
    /// sample without the column of an expansion has nothing there.
    pub(super) fn written(
        &self,
        sample: &Sample,
        examples: &[Message],
        ice_token: Option<&str>,
    ) -> Result<Vec<Message>, PromptError> {
        let mut messages = Vec::with_capacity(self.items.len() + examples.len());
        for item in &self.items {
            match item {
                Item::Message(message) => messages.push(self.filled(message, sample)),
                Item::Token(token) if Some(token.as_str()) == ice_token => {
                    messages.extend_from_slice(examples);
                }
                Item::Token(_) => {}
                Item::Column(column) => messages.extend(history(sample, column)?),
            }
        }
        Ok(messages)
    }

    fn filled(&self, message: &Message, sample: &Sample) -> Message {
        match &message.content {
            Content::Text(text) if self.fills_fields => {
                Message { content: fill(text, sample).into(), ..message.clone() }
            }
            _ => message.clone(),
        }
    }

    /// The texts of its messages, fields unfilled.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(|item| match item {
            Item::Message(message) => message.content.text(),
            Item::Column(_) | Item::Token(_) => None,
        })
    }
}

impl Item {
    fn from_node(node: &Node) -> Result<Self, PromptError> {
        if let Value::Str(token) = &node.value {
            return Ok(Self::Token(token.clone()));
        }
        if node.get("expand_column").is_some() {
            let Expansion { expand_column } = from_node(node)?;
            return Ok(Self::Column(expand_column));
        }
        let message: Message = from_node(node)?;
        if matches!(message.role.as_str(), "system" | "user" | "assistant") {
            Ok(Self::Message(message))
        } else {
            Err(PromptError::Template {
                origin: node.origin.clone(),
                what: format!(
                    "a message has the role {:?}; it must be system, user or assistant",
                    message.role
                ),
            })
        }
    }
}

/// The examples that are inserted; text is only accepted where there is none.
pub(super) fn examples(prompt: &Prompt) -> Result<&[Message], PromptError> {
    match prompt {
        Prompt::Messages(messages) => Ok(messages),
        other if other.plain().trim().is_empty() => Ok(&[]),
        _ => Err(PromptError::IntoMessages),
    }
}

fn history(sample: &Sample, column: &str) -> Result<Vec<Message>, PromptError> {
    match sample.get(column) {
        Some(held @ serde_json::Value::Array(_)) => {
            Vec::<Message>::deserialize(held).map_err(|_| PromptError::Column {
                kind: KIND,
                column: column.to_owned(),
                expected: "a list of dicts with role and content",
                found: held.to_string(),
            })
        }
        _ => Ok(Vec::new()),
    }
}
