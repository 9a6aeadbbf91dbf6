//! What is said about a conversation besides its messages.

use jiff::civil::DateTime;
use serde_json::{Map, Value};

use super::{ChatError, error::shortened};

/// How a conversation is rendered.
///
/// Everything a template can see is here or in the messages: the time of day, for templates that write
/// a date into the system prompt, is an argument and not the clock, so that a run can be repeated.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderOptions {
    /// The text ends with the opening of the assistant's answer.
    pub add_generation_prompt: bool,
    /// The field of the last message that the model is to continue, usually `content`.
    pub continue_final_message: Option<String>,
    /// Functions the model may call, as JSON schemas; `None` and an empty list are not the same.
    pub tools: Option<Vec<Value>>,
    /// Documents for retrieval-augmented answers.
    pub documents: Option<Vec<Value>>,
    /// `bos_token`, `eos_token` and further special tokens of the tokenizer, by name.
    pub special_tokens: Map<String, Value>,
    /// Further variables, such as `enable_thinking`.
    pub variables: Map<String, Value>,
    /// What `strftime_now` takes for now, in local time.
    pub now: DateTime,
}

impl RenderOptions {
    /// A rendering at a given time that leaves out all that can be left out.
    pub fn at(now: DateTime) -> Self {
        Self {
            add_generation_prompt: false,
            continue_final_message: None,
            tools: None,
            documents: None,
            special_tokens: Map::new(),
            variables: Map::new(),
            now,
        }
    }

    /// With the opening of the assistant's answer at the end.
    pub fn with_generation_prompt(mut self) -> Self {
        self.add_generation_prompt = true;
        self
    }

    /// With a special token, if the tokenizer has it.
    pub fn with_special_token(mut self, name: &str, token: Option<&str>) -> Self {
        if let Some(token) = token {
            self.special_tokens.insert(name.to_owned(), token.into());
        }
        self
    }

    /// With arguments of transformers' `apply_chat_template`, by name: `add_generation_prompt`,
    /// `continue_final_message` (`true`, or the name of a field), `tools` and `documents`; all others are
    /// variables of the template.
    pub fn with_arguments(mut self, arguments: &Map<String, Value>) -> Result<Self, ChatError> {
        for (name, value) in arguments {
            let wrong = |expected| ChatError::Argument {
                name: name.clone(),
                expected,
                found: shortened(value),
            };
            match (name.as_str(), value) {
                ("add_generation_prompt", Value::Bool(add)) => self.add_generation_prompt = *add,
                ("add_generation_prompt", _) => return Err(wrong("true or false")),
                ("continue_final_message", Value::Bool(go_on)) => {
                    self.continue_final_message = go_on.then(|| "content".to_owned());
                }
                ("continue_final_message", Value::String(field)) => {
                    self.continue_final_message = Some(field.clone());
                }
                ("continue_final_message", _) => {
                    return Err(wrong("true, false or the name of a field"));
                }
                ("tools", Value::Null) => self.tools = None,
                ("tools", Value::Array(tools)) => self.tools = Some(tools.clone()),
                ("documents", Value::Null) => self.documents = None,
                ("documents", Value::Array(documents)) => self.documents = Some(documents.clone()),
                ("tools" | "documents", _) => return Err(wrong("a list")),
                _ => _ = self.variables.insert(name.clone(), value.clone()),
            }
        }
        Ok(self)
    }

    /// With one more variable.
    pub fn with_variable(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }
}
