//! What a server knows of its model beside the engine: its name, its tokens, how conversations are written.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use super::problem::Problem;
use crate::{
    chat::{ChatTemplate, Message, RenderOptions},
    engine::Engine,
    model::Tokenizer,
};

/// A model that is to be served.
#[derive(Debug)]
pub struct ServedModel {
    /// The name that requests call it by.
    pub name: String,
    /// What computes.
    pub engine: Engine,
    /// How conversations are written, or why none are answered.
    pub chat: Result<ServedChat, String>,
}

/// A chat template with what it sees besides the messages.
#[derive(Debug)]
pub struct ServedChat {
    /// The template.
    pub template: ChatTemplate,
    /// Special tokens and variables. Its time is that of the server's start; each conversation gets its own.
    pub options: RenderOptions,
}

/// The same for those who read and write bodies.
#[derive(Debug)]
pub(super) struct ModelFacts {
    pub(super) name: String,
    pub(super) tokenizer: Tokenizer,
    pub(super) context_tokens: usize,
    chat: Result<ServedChat, String>,
    vocabulary_size: usize,
    /// What tokens spell, once one was asked for.
    spelled: Vec<OnceLock<Arc<SpelledToken>>>,
}

/// What a token spells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SpelledToken {
    /// Its text; that of a part of a character is `bytes:\xe6`, as OpenAI writes it.
    pub(super) text: String,
    pub(super) bytes: Vec<u8>,
}

impl ModelFacts {
    pub(super) fn new(model: ServedModel) -> (Self, Engine) {
        let ServedModel { name, engine, chat } = model;
        let vocabulary_size = engine.model().decoder.spec().vocabulary_size;
        let facts = Self {
            name,
            tokenizer: engine.tokenizer().clone(),
            context_tokens: engine.continuous_context_tokens(),
            chat,
            vocabulary_size,
            spelled: (0..vocabulary_size).map(|_| OnceLock::new()).collect(),
        };
        (facts, engine)
    }

    /// Refuses the name of another model; nothing means this one.
    pub(super) fn check_name(&self, name: Option<&str>) -> Result<(), Problem> {
        match name {
            Some(name) if name != self.name => Err(Problem::unknown_model(name, &self.name)),
            _ => Ok(()),
        }
    }

    /// A token id, if `value` is one of the model's.
    pub(super) fn id(&self, value: &Value) -> Option<u32> {
        let id = value.as_u64().and_then(|id| u32::try_from(id).ok())?;
        ((id as usize) < self.vocabulary_size).then_some(id)
    }

    /// How many tokens there are.
    pub(super) fn vocabulary_size(&self) -> usize {
        self.vocabulary_size
    }

    /// What a token spells.
    pub(super) fn spelled(&self, id: u32) -> Arc<SpelledToken> {
        let spell = || {
            let bytes = self.tokenizer.token_bytes(id);
            let text = String::from_utf8(bytes.clone()).unwrap_or_else(|_| {
                let escaped: Vec<String> =
                    bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
                format!("bytes:{}", escaped.concat())
            });
            Arc::new(SpelledToken { text, bytes })
        };
        self.spelled
            .get(id as usize)
            .map_or_else(spell, |spelled| spelled.get_or_init(spell).clone())
    }

    /// The ids of a text.
    pub(super) fn encoded(
        &self,
        text: &str,
        adds_special_tokens: bool,
        field: &str,
    ) -> Result<Vec<u32>, Problem> {
        let encoded = self.tokenizer.encode(text, adds_special_tokens);
        encoded.map_err(|error| Problem::field(field, error.to_string()))
    }

    /// The text of ids.
    pub(super) fn decoded(
        &self,
        ids: &[u32],
        skips_special_tokens: bool,
    ) -> Result<String, Problem> {
        let decoded = self.tokenizer.decode(ids, skips_special_tokens);
        decoded.map_err(|error| Problem::failed(error.to_string()))
    }

    /// The text of a conversation, special tokens included.
    pub(super) fn conversation(
        &self,
        messages: &[Message],
        arguments: &Map<String, Value>,
        now: jiff::civil::DateTime,
    ) -> Result<String, Problem> {
        let chat = self.chat.as_ref().map_err(|reason| {
            Problem::body(format!(
                "no conversations are answered here: {reason}; ask /v1/completions"
            ))
        })?;
        let options = RenderOptions { now, ..chat.options.clone() };
        let rendered = options
            .with_arguments(arguments)
            .and_then(|options| chat.template.render(messages, &options));
        rendered
            .map(|rendered| rendered.text)
            .map_err(|error| Problem::field("messages", error.to_string()))
    }
}
