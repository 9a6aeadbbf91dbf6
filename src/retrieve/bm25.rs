//! The training rows that share the most telling words with the asked one.

use serde::Deserialize;

use super::{
    Corpus, Okapi, RetrieveError, Retriever, newline, one, ranking::ascending, word_tokenize,
};

/// Shows the rows that score best against the test row by [`Okapi`] BM25, the best one first.
///
/// Rows that score the same come in the order in which OpenCompass has them: the later one first,
/// except where NumPy's sort has it otherwise.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names of the config")]
pub struct Bm25Retriever {
    /// Examples per row; all of them if there are not that many.
    #[serde(default = "one")]
    ice_num: usize,
    #[serde(default = "newline")]
    ice_separator: String,
    #[serde(default = "newline")]
    ice_eos_token: String,
}

impl Retriever for Bm25Retriever {
    fn select(&self, corpus: &Corpus<'_>) -> Result<Vec<Vec<isize>>, RetrieveError> {
        let rows: Vec<Vec<String>> =
            corpus.train_texts().map(|text| word_tokenize(&text)).collect::<Result<_, _>>()?;
        let index = Okapi::new(&rows).ok_or(RetrieveError::NoWords)?;
        corpus
            .test_texts()
            .map(|text| {
                let scores = index.scores(&word_tokenize(&text)?);
                let best = ascending(&scores).into_iter().rev().take(self.ice_num);
                Ok(best.map(usize::cast_signed).collect())
            })
            .collect()
    }

    fn ice_separator(&self) -> &str {
        &self.ice_separator
    }

    fn ice_eos_token(&self) -> &str {
        &self.ice_eos_token
    }
}
