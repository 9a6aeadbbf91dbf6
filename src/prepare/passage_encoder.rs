//! The sentence encoder by which passages are searched.

use super::CheckpointModels;
use crate::passages::{PassageEncoder, PassageError, TextRole};

/// A checkpoint as an encoder of queries and passages, which it may want told apart by a text before them.
#[derive(Debug)]
pub struct CheckpointEncoder<'a> {
    /// Opens the checkpoint and keeps its vectors.
    pub models: &'a CheckpointModels<'a>,
    /// A folder, or a name on the hub.
    pub name: &'a str,
    /// What stands before each query, instead of the checkpoint's prompt.
    pub query_prompt: Option<&'a str>,
    /// What stands before each passage, instead of the checkpoint's prompt.
    pub passage_prompt: Option<&'a str>,
}

impl CheckpointEncoder<'_> {
    /// Everything that decides the vectors of passages but their texts: the encoder's files, how it is computed with, and
    /// what stands before each passage.
    pub fn passage_key(&self) -> Result<String, PassageError> {
        let (given, names) = self.prompts(TextRole::Passage);
        let key = self.models.search_key(self.name, given, names);
        key.map_err(|error| PassageError::Encoder { problem: error.to_string() })
    }

    /// The prompt that was given, and the names that sentence-transformers looks for otherwise.
    fn prompts(&self, role: TextRole) -> (Option<&str>, &'static [&'static str]) {
        match role {
            TextRole::Query => (self.query_prompt, &["query"]),
            TextRole::Passage => (self.passage_prompt, &["document", "passage", "corpus"]),
        }
    }
}

impl PassageEncoder for CheckpointEncoder<'_> {
    fn vectors(&self, texts: &[String], role: TextRole) -> Result<Vec<Vec<f32>>, PassageError> {
        let (given, names) = self.prompts(role);
        self.models
            .embed_for_search(self.name, texts, given, names)
            .map_err(|error| PassageError::Encoder { problem: error.to_string() })
    }
}
