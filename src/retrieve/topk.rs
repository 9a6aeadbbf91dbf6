//! The training rows whose vectors are nearest to the asked one's.

use serde::Deserialize;

use super::{
    Corpus, EncoderName, RetrieveError, Retriever,
    models::{default_encoder, gpt2},
    nearest::EmbeddedRows,
    newline, one,
};

/// Shows the rows with the largest inner product with the test row, the largest first. Vectors are taken as the
/// encoder gives them: unless it normalises them, long ones win.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopkRetriever {
    /// Examples per row. Where there are not that many, the last training row stands for each that is missing.
    #[serde(default = "one")]
    ice_num: usize,
    #[serde(default = "newline")]
    ice_separator: String,
    #[serde(default = "newline")]
    ice_eos_token: String,
    #[serde(default = "default_encoder")]
    sentence_transformers_model_name: String,
    #[serde(default = "gpt2")]
    tokenizer_name: String,
    /// Texts are batched by their tokens.
    #[serde(default, rename = "batch_size")]
    _batch_size: Option<usize>,
}

impl Retriever for TopkRetriever {
    fn select(&self, corpus: &Corpus<'_>) -> Result<Vec<Vec<isize>>, RetrieveError> {
        let encoder = EncoderName {
            encoder: &self.sentence_transformers_model_name,
            tokenizer: &self.tokenizer_name,
        };
        let rows = EmbeddedRows::of(corpus, encoder)?;
        Ok((0..rows.test.len()).map(|row| rows.nearest(row, self.ice_num)).collect())
    }

    fn notes(&self, corpus: &Corpus<'_>) -> Vec<String> {
        let train_rows = corpus.dataset.train.len();
        let is_short = self.ice_num > train_rows;
        let note = || {
            format!(
                "ice_num asks for {} examples, but the training split has {train_rows} rows; as in OpenCompass the \
                 last row stands for each that is missing",
                self.ice_num
            )
        };
        is_short.then(note).into_iter().collect()
    }

    fn models(&self) -> Vec<&str> {
        vec![&self.sentence_transformers_model_name, &self.tokenizer_name]
    }

    fn ice_separator(&self) -> &str {
        &self.ice_separator
    }

    fn ice_eos_token(&self) -> &str {
        &self.ice_eos_token
    }
}
