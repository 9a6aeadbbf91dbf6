//! Passages that were found for a sample, as its record keeps them and later stages read them.

use serde::{Deserialize, Serialize};

use crate::passages::{Corpus, Passage};

/// A passage that was found, or that stands in for what is still to be found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RetrievedPassage {
    /// Its id in the corpus.
    pub id: String,
    /// The document that it is a part of, if that was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// How well it matches, in the unit of its index; nothing for one that nobody searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Its title, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

impl RetrievedPassage {
    /// A passage of a corpus with the score it was found by, if it was.
    pub fn of(corpus: &Corpus, passage: &Passage, score: Option<f64>) -> Self {
        let Passage { id, document, title, text, .. } = passage;
        let document = corpus.documents().get(*document).filter(|document| *document != id);
        Self {
            id: id.clone(),
            document: document.cloned(),
            score,
            title: title.clone(),
            text: text.clone(),
        }
    }

    /// Passages as a prompt shows them: a line each, `[1] title: text`, the best one first.
    pub fn lines(passages: &[Self]) -> String {
        let line = |(place, own): (usize, &Self)| match &own.title {
            Some(title) => format!("[{}] {title}: {}", place + 1, own.text),
            None => format!("[{}] {}", place + 1, own.text),
        };
        passages.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
    }
}
