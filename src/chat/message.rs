//! One message of a conversation.

use serde_json::{Map, Value, json};

use super::{ChatError, error::shortened};

/// Names under which templates and callers know a message's reasoning; the first is the standard one.
pub(super) const REASONING_FIELDS: [&str; 3] = ["reasoning_content", "thinking", "reasoning"];

/// A message: a role, a content, and whatever else the template of a model reads.
///
/// The fields keep their order, because a template may print a whole message. `content` is a text or a
/// list of parts such as `{"type": "text", "text": …}`; `reasoning_content`, `tool_calls` and
/// `tool_call_id` are fields like any other.
///
/// ```
/// use serde_json::json;
/// use surprisal::chat::Message;
///
/// let message = Message::new("assistant", "Paris.").with("reasoning_content", "Capital of France.");
/// assert_eq!(message.role(), Some("assistant"));
/// assert_eq!(message.get("content"), Some(&json!("Paris.")));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    fields: Map<String, Value>,
}

impl Message {
    /// A message of a role; the content is a text, or a list of parts.
    pub fn new(role: &str, content: impl Into<Value>) -> Self {
        let mut fields = Map::new();
        fields.insert("role".to_owned(), role.into());
        fields.insert("content".to_owned(), content.into());
        Self { fields }
    }

    /// The message with one more field, or another value for a field it has.
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(field.to_owned(), value.into());
        self
    }

    /// The messages of a JSON list of objects.
    pub fn list_from_json(messages: Vec<Value>) -> Result<Vec<Self>, ChatError> {
        let message = |(index, message)| match message {
            Value::Object(fields) => Ok(Self { fields }),
            other => Err(ChatError::NotAMessage { index, found: shortened(&other) }),
        };
        messages.into_iter().enumerate().map(message).collect()
    }

    /// Who speaks.
    pub fn role(&self) -> Option<&str> {
        self.get("role")?.as_str()
    }

    /// A field's value.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field)
    }

    /// A field's value, to be changed.
    pub(super) fn get_mut(&mut self, field: &str) -> Option<&mut Value> {
        self.fields.get_mut(field)
    }

    /// Makes a text that is said a list of one part.
    pub(super) fn say_in_parts(&mut self) {
        if let Some(content) = self.get_mut("content")
            && let Value::String(text) = content
        {
            *content = json!([{"type": "text", "text": text}]);
        }
    }

    /// The message as templates expect it: reasoning that was given under an older name stands under
    /// `reasoning_content` and `thinking` too.
    pub(super) fn with_reasoning_aliases(&self) -> Self {
        let reasoning = REASONING_FIELDS
            .iter()
            .find_map(|field| self.get(field).filter(|reasoning| !reasoning.is_null()));
        let Some(reasoning) = reasoning else { return self.clone() };
        let mut fields = Map::new();
        fields.insert("thinking".to_owned(), reasoning.clone());
        fields.extend(self.fields.clone());
        fields.insert("reasoning_content".to_owned(), reasoning.clone());
        Self { fields }
    }

    /// The message as a value for the template.
    pub(super) fn into_json(self) -> Value {
        Value::Object(self.fields)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reasoning_is_copied_to_the_names_that_templates_read() {
        let message = Message::new("assistant", "4").with("reasoning", "2 + 2");
        let expected = json!({"thinking": "2 + 2", "role": "assistant", "content": "4",
            "reasoning": "2 + 2", "reasoning_content": "2 + 2"});
        let aliased = message.with_reasoning_aliases().into_json();
        assert_eq!(aliased.to_string(), expected.to_string());
        let plain = Message::new("user", "?").with("thinking", Value::Null);
        assert_eq!(plain.with_reasoning_aliases(), plain);
    }

    #[test]
    fn a_message_is_an_object() {
        let error = Message::list_from_json(vec![json!({"role": "user"}), json!("hi")]);
        let found = r#"message 1: expected an object with a role, found "hi""#;
        assert_eq!(error.unwrap_err().to_string(), found);
    }
}
