//! Different random examples for each row, the same ones on every run.

use serde::Deserialize;

use super::{Corpus, RetrieveError, Retriever, newline, one};
use crate::python::NumpyRandom;

/// Draws rows without replacement, test row after test row, from one seeded generator.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomRetriever {
    /// The seed, as given to `np.random.seed`.
    #[serde(default = "seed")]
    seed: u32,
    /// Examples per row.
    #[serde(default = "one")]
    ice_num: usize,
    #[serde(default = "newline")]
    ice_separator: String,
    #[serde(default = "newline")]
    ice_eos_token: String,
}

impl Retriever for RandomRetriever {
    fn select(&self, corpus: &Corpus<'_>) -> Result<Vec<Vec<isize>>, RetrieveError> {
        let (train_rows, ice_num) = (corpus.dataset.train.len(), self.ice_num);
        let mut random = NumpyRandom::from_seed(self.seed);
        corpus
            .dataset
            .test
            .iter()
            .map(|_| {
                let rows = random.choose(train_rows, ice_num);
                let rows = rows.ok_or(RetrieveError::TooFewRows { ice_num, train_rows })?;
                Ok(rows.into_iter().map(usize::cast_signed).collect())
            })
            .collect()
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

/// OpenCompass's seed.
fn seed() -> u32 {
    43
}
