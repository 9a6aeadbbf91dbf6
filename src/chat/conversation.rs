//! A conversation as files hold it.
//!
//! Three shapes are understood: a list of messages; an object with such a list under `messages` and
//! what `apply_chat_template` is told beside it; and `ShareGPT`'s `conversations`, whose turns have `from`
//! and `value`.

use serde_json::{Map, Value};

use super::{ChatError, Message, error::shortened};

/// Arguments that stand beside the messages.
const ARGUMENTS: [&str; 4] =
    ["tools", "documents", "add_generation_prompt", "continue_final_message"];

/// Where further arguments stand, the template's variables among them.
const MORE_ARGUMENTS: &str = "chat_template_kwargs";

/// Speakers of `ShareGPT` and their roles; others are called the same.
const SPEAKERS: [(&str, &str); 4] =
    [("human", "user"), ("gpt", "assistant"), ("chatgpt", "assistant"), ("observation", "tool")];

/// Messages and what is said about their rendering.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// Who says what.
    pub messages: Vec<Message>,
    /// For [`RenderOptions::with_arguments`](super::RenderOptions::with_arguments).
    pub arguments: Map<String, Value>,
}

impl Conversation {
    /// Reads a conversation.
    pub fn from_json(value: &Value) -> Result<Self, ChatError> {
        let strange = || ChatError::NotAConversation { found: shortened(value) };
        let entry = match value {
            Value::Array(messages) => {
                let messages = Message::list_from_json(messages.clone())?;
                return Ok(Self { messages, arguments: Map::new() });
            }
            Value::Object(entry) => entry,
            _ => return Err(strange()),
        };
        let messages = match (entry.get("messages"), entry.get("conversations")) {
            (Some(Value::Array(messages)), _) => messages.clone(),
            (None, Some(Value::Array(turns))) => turns.iter().map(message_of_turn).collect(),
            _ => return Err(strange()),
        };
        let mut arguments = match entry.get(MORE_ARGUMENTS) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(other) => {
                return Err(ChatError::Argument {
                    name: MORE_ARGUMENTS.to_owned(),
                    expected: "an object",
                    found: shortened(other),
                });
            }
        };
        for name in ARGUMENTS {
            if let Some(value) = entry.get(name) {
                arguments.insert(name.to_owned(), value.clone());
            }
        }
        Ok(Self { messages: Message::list_from_json(messages)?, arguments })
    }

    /// A short conversation, to see a template at work.
    pub fn sample() -> Self {
        let messages = vec![
            Message::new("system", "You answer in one sentence."),
            Message::new("user", "What is 2 + 3?"),
            Message::new("assistant", "2 + 3 is 5."),
            Message::new("user", "And doubled?"),
        ];
        Self { messages, arguments: Map::new() }
    }
}

/// `{"from": "human", "value": …}` as a message; what is no such turn stays as it is.
fn message_of_turn(turn: &Value) -> Value {
    let (Some(speaker), Some(said)) = (turn["from"].as_str(), turn.get("value")) else {
        return turn.clone();
    };
    let role = SPEAKERS.iter().find(|(name, _)| *name == speaker).map_or(speaker, |(_, role)| role);
    serde_json::json!({"role": role, "content": said})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_three_shapes_say_the_same() {
        let messages = json!([{"role": "user", "content": "Hi"}]);
        let list = Conversation::from_json(&messages).unwrap();
        let entry = Conversation::from_json(&json!({"messages": messages, "id": 3})).unwrap();
        let turns = json!({"conversations": [{"from": "human", "value": "Hi"}]});
        assert_eq!(list, entry);
        assert_eq!(list, Conversation::from_json(&turns).unwrap());
    }

    #[test]
    fn arguments_beside_the_messages_win() {
        let entry = json!({"messages": [], "tools": [1],
            "chat_template_kwargs": {"tools": null, "enable_thinking": false}});
        let arguments = Conversation::from_json(&entry).unwrap().arguments;
        assert_eq!(Value::Object(arguments), json!({"tools": [1], "enable_thinking": false}));
    }

    #[test]
    fn messages_keep_every_field_in_its_place() {
        let message =
            json!({"x": 1, "role": "assistant", "tool_calls": [{"b": 1, "a": 2}], "content": null});
        let conversation = Conversation::from_json(&json!([message])).unwrap();
        let kept = conversation.messages.into_iter().next().unwrap().into_json();
        assert_eq!(kept.to_string(), message.to_string());
    }

    #[test]
    fn what_is_no_conversation_is_said() {
        for strange in [json!(1), json!({"text": "Hi"}), json!({"messages": "Hi"})] {
            let error = Conversation::from_json(&strange).unwrap_err().to_string();
            assert!(error.contains(&strange.to_string()), "{error}");
        }
        let error = Conversation::from_json(&json!({"messages": ["Hi"]})).unwrap_err();
        assert!(error.to_string().starts_with("message 0:"), "{error}");
    }
}
