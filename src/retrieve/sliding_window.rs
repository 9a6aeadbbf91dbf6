//! The rows just before the asked one, for data whose training and test rows run in parallel.

use serde::Deserialize;

use super::{Corpus, RetrieveError, Retriever, newline};

/// Shows the training rows at the `k` positions before the test row, going on from the end of the
/// training rows where those run out at the start.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlidingWindowRetriever {
    /// Examples per row.
    k: u16,
    #[serde(default = "newline")]
    ice_separator: String,
    #[serde(default = "newline")]
    ice_eos_token: String,
    /// The width of the window says how many.
    #[serde(default, rename = "ice_num")]
    _ice_num: Option<usize>,
}

impl Retriever for SlidingWindowRetriever {
    fn select(&self, corpus: &Corpus<'_>) -> Result<Vec<Vec<isize>>, RetrieveError> {
        let (width, train_rows) =
            (usize::from(self.k).cast_signed(), corpus.dataset.train.len().cast_signed());
        let window = |test_row: isize| {
            let missing = (width - test_row).max(0);
            let wrapped = train_rows - missing..train_rows;
            wrapped.chain((test_row - width).max(0)..test_row).collect()
        };
        Ok((0..corpus.dataset.test.len().cast_signed()).map(window).collect())
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
