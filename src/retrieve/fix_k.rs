//! The same examples for every row.

use serde::Deserialize;

use super::{Corpus, RetrieveError, Retriever, newline};

/// Shows the training rows of a fixed list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixKRetriever {
    /// The rows, in the order in which they are shown; negative ids count from the end.
    fix_id_list: Vec<isize>,
    #[serde(default = "newline")]
    ice_separator: String,
    #[serde(default = "newline")]
    ice_eos_token: String,
    /// The length of the list says how many.
    #[serde(default, rename = "ice_num")]
    _ice_num: Option<usize>,
}

impl Retriever for FixKRetriever {
    fn select(&self, corpus: &Corpus<'_>) -> Result<Vec<Vec<isize>>, RetrieveError> {
        Ok(vec![self.fix_id_list.clone(); corpus.dataset.test.len()])
    }

    fn reads_texts(&self) -> bool {
        false
    }

    fn ice_separator(&self) -> &str {
        &self.ice_separator
    }

    fn ice_eos_token(&self) -> &str {
        &self.ice_eos_token
    }
}
