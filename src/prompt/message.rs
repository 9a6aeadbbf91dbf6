//! Messages of a chat: what a chat template or a chat API is given.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::{
    PromptError, PromptItem, PromptList, Section, Turn,
    multimodal::Media,
    turn::{BOT, HUMAN, SYSTEM},
};

/// One message. Serialises to the dict that chat templates and chat APIs expect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Message {
    /// Who speaks: `system`, `user` or `assistant`; `tool` and `developer` where a column says so.
    pub role: String,
    /// What is said.
    pub content: Content,
    /// What else a chat template may read, in its order: `tool_calls`, `reasoning_content`, `name`.
    /// Text that is made without a chat template leaves it out. Nothing in it is null: a table fills with
    /// null what only other messages have.
    #[serde(flatten)]
    pub further: Map<String, Json>,
}

/// A message as it is written down. One that calls a tool may have no content.
#[derive(Deserialize)]
struct Written {
    role: String,
    content: Option<Content>,
    #[serde(flatten)]
    further: Map<String, Json>,
}

/// What a message says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    /// Text.
    Text(String),
    /// Text, images, video and sound in order, each a dict with a `type`.
    Parts(Vec<Json>),
    /// Nothing, in a message that has something else.
    Nothing,
}

impl TryFrom<Written> for Message {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written { role, content, mut further } = written;
        further.retain(|_, value| !value.is_null());
        match content {
            None if further.is_empty() => Err("missing field `content`"),
            content => Ok(Self { role, content: content.unwrap_or(Content::Nothing), further }),
        }
    }
}

impl Message {
    /// `role` saying `content`.
    pub fn new(role: &str, content: impl Into<Content>) -> Self {
        Self { role: role.to_owned(), content: content.into(), further: Map::new() }
    }

    /// Whether `next` only says more of the same: what has further fields stands on its own, and so
    /// does every result of a tool.
    fn goes_on_in(&self, next: &Self) -> bool {
        self.role == next.role
            && self.role != TOOL
            && self.further.is_empty()
            && next.further.is_empty()
    }

    /// What it says to a model that only reads text.
    pub(super) fn said(&self) -> Result<&str, PromptError> {
        self.content.text().ok_or_else(|| PromptError::NotText { role: self.role.clone() })
    }

    /// A user's message.
    pub fn user(content: impl Into<Content>) -> Self {
        Self::new("user", content)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Content> for Json {
    fn from(content: Content) -> Self {
        match content {
            Content::Text(text) => text.into(),
            Content::Parts(parts) => parts.into(),
            Content::Nothing => Json::Null,
        }
    }
}

impl Content {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Parts(parts) => parts.is_empty(),
            Self::Nothing => true,
        }
    }

    /// Its text; `None` for parts.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Nothing => Some(""),
            Self::Parts(_) => None,
        }
    }

    /// The texts of its parts, if it has parts.
    pub(super) fn texts_of_parts(&self) -> impl Iterator<Item = &str> {
        let parts = match self {
            Self::Parts(parts) => parts.as_slice(),
            Self::Text(_) | Self::Nothing => &[],
        };
        parts.iter().filter_map(|part| part.get("text")?.as_str())
    }

    /// Says `more` after this: text after `separator`, anything else part by part.
    pub(super) fn extend(&mut self, separator: &str, more: Self) {
        match (self, more) {
            (Self::Text(text), Self::Text(more)) => {
                text.push_str(separator);
                text.push_str(&more);
            }
            (Self::Parts(parts), more) => parts.extend(more.into_parts()),
            (content @ Self::Text(_), Self::Parts(more)) => {
                let text = std::mem::replace(content, Self::Parts(Vec::new()));
                *content = Self::Parts(text.into_parts().into_iter().chain(more).collect());
            }
            (content @ Self::Nothing, more) => *content = more,
            (Self::Text(_), Self::Nothing) => {}
        }
    }

    fn into_parts(self) -> Vec<Json> {
        match self {
            Self::Text(text) => vec![json!({"type": "text", "text": text})],
            Self::Parts(parts) => parts,
            Self::Nothing => Vec::new(),
        }
    }
}

/// The role of a tool's results.
const TOOL: &str = "tool";

/// Adds a message, or lengthens the last one when the same role goes on.
pub(super) fn push_merged(messages: &mut Vec<Message>, message: Message) {
    match messages.last_mut() {
        Some(last) if last.goes_on_in(&message) => last.content.extend("\n", message.content),
        _ => messages.push(message),
    }
}

/// Messages as chat templates want them: roles named `user`, `assistant` and `system`, none empty,
/// none twice in a row. Messages with further fields are kept as they are.
pub(super) fn for_chat(messages: Vec<Message>) -> Result<Vec<Message>, PromptError> {
    let mut chat = Vec::with_capacity(messages.len());
    for message in messages {
        if message.content.is_empty() && message.further.is_empty() {
            continue;
        }
        let name = match message.role.as_str() {
            HUMAN | "user" => "user",
            BOT | "assistant" => "assistant",
            SYSTEM | "system" => "system",
            known @ (TOOL | "developer") => known,
            _ => return Err(PromptError::UnknownApiRole { role: message.role }),
        };
        push_merged(&mut chat, Message { role: name.to_owned(), ..message });
    }
    Ok(chat)
}

/// Messages as a server is sent them: roles named as its protocol does, everything else as it is.
pub(crate) fn for_server(messages: Vec<Message>) -> Result<Vec<Message>, PromptError> {
    let named = |message: Message| {
        let name = match message.role.as_str() {
            HUMAN | "user" => "user",
            BOT | "assistant" => "assistant",
            SYSTEM | "system" => "system",
            "TOOL" | TOOL => TOOL,
            known @ "developer" => known,
            _ => return Err(PromptError::UnknownApiRole { role: message.role }),
        };
        Ok(Message { role: name.to_owned(), ..message })
    };
    messages.into_iter().map(named).collect()
}

impl From<&[Message]> for PromptList {
    /// The dialogue that the messages are: leading instructions in `begin`, the rest in `round`.
    fn from(messages: &[Message]) -> Self {
        let instructions = messages.iter().take_while(|message| message.role == "system").count();
        let (begin, round) = messages.split_at(instructions);
        let mut items = vec![PromptItem::Open(Section::Begin)];
        items.extend(begin.iter().map(|message| PromptItem::Turn(message.into())));
        items.push(PromptItem::Close(Section::Begin));
        items.extend(Self::round(round.iter().map(Turn::from).collect()).0);
        Self(items)
    }
}

impl From<&Message> for Turn {
    fn from(message: &Message) -> Self {
        let role = match message.role.as_str() {
            "system" => SYSTEM,
            "assistant" => BOT,
            _ => HUMAN,
        };
        let turn = match &message.content {
            Content::Text(text) => Self::new(role, text.as_str()),
            Content::Nothing => Self::new(role, ""),
            Content::Parts(parts) => Self {
                role: Some(role.to_owned()),
                prompt_mm: Some(Media::Parts(parts.clone())),
                ..Self::default()
            },
        };
        Self { fallback_role: (role == SYSTEM).then(|| HUMAN.to_owned()), ..turn }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_that_goes_on_is_one_message() {
        let image = json!({"type": "image_url", "image_url": {"url": "a.png"}});
        let said = vec![
            Message::new("HUMAN", "a"),
            Message::new("BOT", ""),
            Message::new("HUMAN", "b"),
            Message::user(Content::Parts(vec![image.clone()])),
        ];
        let parts = vec![json!({"type": "text", "text": "a\nb"}), image];
        assert_eq!(for_chat(said).unwrap(), [Message::user(Content::Parts(parts))]);
    }

    #[test]
    fn further_fields_keep_their_order_and_their_message() {
        let written = json!([
            {"role": "user", "content": "2+2?"},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "1"}], "name": "z", "a": 1},
            {"role": "assistant", "content": "wait", "reasoning_content": "hm"},
            {"role": "tool", "content": "4"},
            {"role": "tool", "content": "5"},
        ]);
        let mut table = written.clone();
        table[0]["tool_calls"] = Json::Null;
        let messages: Vec<Message> = serde_json::from_value(table).unwrap();
        let chat = for_chat(messages).unwrap();
        assert_eq!(serde_json::to_string(&chat).unwrap(), written.to_string());
        let silent = serde_json::from_value::<Message>(json!({"role": "user"}));
        assert!(silent.unwrap_err().to_string().contains("missing field `content`"));
    }
}
