//! By what passages are found, as a config or a command says it.
//!
//! It names an encoder and opens none.

use serde::Deserialize;

/// By what passages are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchMethod {
    /// The words that they share with the query.
    #[default]
    Bm25,
    /// The vectors of a sentence encoder.
    Dense,
    /// Their ranks by both.
    Hybrid,
}

/// The sentence encoder of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EncoderChoice {
    /// A folder, or a name on the hub.
    pub name: String,
    /// What stands before each query, instead of the checkpoint's prompt.
    pub query_prompt: Option<String>,
    /// What stands before each passage, instead of the checkpoint's prompt.
    pub passage_prompt: Option<String>,
}

impl SearchMethod {
    /// Its name, as it is written in a config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bm25 => "bm25",
            Self::Dense => "dense",
            Self::Hybrid => "hybrid",
        }
    }

    /// Whether texts are compared by their vectors.
    pub fn embeds(self) -> bool {
        self != Self::Bm25
    }
}
