//! What is known of a server before it is asked anything.

use serde_json::{Map, Value as Json};

use super::{Budget, KeyVariable, Patience, ServerAddress};

/// A model behind a server, as a config describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedSettings {
    /// Where the server is.
    pub address: ServerAddress,
    /// The model's name there; empty where the server is to be asked for its only one.
    pub model: String,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// Where the key is, if there is one.
    pub key: Option<KeyVariable>,
    /// The header `openai-organization`.
    pub organization: Option<String>,
    /// What is sent with every question for a continuation beside the prompt: `temperature`, `top_p`, `seed`, ….
    pub parameters: Map<String, Json>,
    /// Whether continuations are asked for piece by piece, so that it is known when the first one came.
    pub streams: bool,
    /// Whether blanks are taken off both ends of continuations, as OpenCompass's `OpenAI` does.
    pub strips_text: bool,
    /// Whether files that messages name are sent; otherwise the server opens them itself.
    pub sends_files: bool,
    /// Most requests at once; at least 1.
    pub concurrency: usize,
    /// Most requests a second.
    pub queries_per_second: Option<f64>,
    /// How long it is waited for.
    pub patience: Patience,
    /// What a run may spend.
    pub budget: Budget,
}

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// OpenAI's `completions`: text, which is continued or scored.
    Completions,
    /// OpenAI's `chat/completions`: messages.
    Chat,
    /// text-generation-inference's `generate`: text.
    Generate,
    /// `MindIE`'s `infer`, which answers alike.
    Infer,
}

impl Protocol {
    /// The endpoint, below the address.
    pub fn endpoint(self) -> &'static str {
        match self {
            Self::Completions => "completions",
            Self::Chat => "chat/completions",
            Self::Generate => "generate",
            Self::Infer => "infer",
        }
    }
}

impl ServedSettings {
    /// Whether the likeliest tokens are asked for, so that every answer to a text is to be the same.
    pub fn is_greedy(&self) -> bool {
        self.parameters
            .get("temperature")
            .and_then(Json::as_f64)
            .is_some_and(|own| own.abs() <= 0.0)
    }

    /// How it is called in messages.
    pub fn name(&self) -> String {
        match self.model.as_str() {
            "" => self.address.to_string(),
            model => format!("{model} at {}", self.address),
        }
    }
}
