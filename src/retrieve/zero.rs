//! No examples.

use serde::Deserialize;

use super::{Corpus, RetrieveError, Retriever};

/// Shows nothing before any row.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZeroRetriever {
    /// The text where examples would end.
    #[serde(default)]
    ice_eos_token: String,
}

impl Retriever for ZeroRetriever {
    fn select(&self, corpus: &Corpus<'_>) -> Result<Vec<Vec<isize>>, RetrieveError> {
        Ok(vec![Vec::new(); corpus.dataset.test.len()])
    }

    fn reads_texts(&self) -> bool {
        false
    }

    fn reads_train(&self) -> bool {
        false
    }

    fn ice_separator(&self) -> &'static str {
        ""
    }

    fn ice_eos_token(&self) -> &str {
        &self.ice_eos_token
    }
}
