//! What retrievers ask sentence encoders and language models.
//!
//! A retriever names models and says what it wants of them; opening them, keeping what they say and telling
//! the user is done by whoever prepares a run. So a retriever works as well with vectors out of a file.

use std::fmt::Debug;

use super::RetrieveError;

/// What turns texts into vectors, as a config names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EncoderName<'a> {
    /// `sentence_transformers_model_name`: a folder, or a name on the hub.
    pub encoder: &'a str,
    /// `tokenizer_name`: OpenCompass turns each text into ids and back before it is embedded, which cuts long
    /// texts and drops special tokens.
    pub tokenizer: &'a str,
}

/// What says how surprising a text is, as a config names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScorerName<'a> {
    /// `ce_model_name`: a checkpoint.
    pub model: &'a str,
    /// `tokenizer_name`: what makes the ids; it is the checkpoint's own in any config that makes sense.
    pub tokenizer: &'a str,
}

/// A text whose end is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredText {
    /// All of it.
    pub text: String,
    /// As many tokens as this has by itself are not counted at the text's beginning.
    pub uncounted: String,
}

/// Answers what retrievers ask.
pub trait RetrievalModels: Debug {
    /// A vector for each text, all of one length.
    fn embed(
        &self,
        encoder: EncoderName<'_>,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, RetrieveError>;

    /// For each text its mean surprisal in nats, as `MDLRetriever` computes it: the sum over the tokens after
    /// those not counted and after the first, tokens that end a sequence left out, by the number of tokens
    /// that are counted.
    fn cross_entropies(
        &self,
        scorer: ScorerName<'_>,
        texts: &[ScoredText],
    ) -> Result<Vec<f64>, RetrieveError>;
}

/// No models: for retrievers that ask none.
#[derive(Clone, Copy, Debug)]
pub struct NoModels;

impl RetrievalModels for NoModels {
    fn embed(
        &self,
        encoder: EncoderName<'_>,
        _: &[String],
    ) -> Result<Vec<Vec<f32>>, RetrieveError> {
        Err(RetrieveError::NoModels { name: encoder.encoder.to_owned() })
    }

    fn cross_entropies(
        &self,
        scorer: ScorerName<'_>,
        _: &[ScoredText],
    ) -> Result<Vec<f64>, RetrieveError> {
        Err(RetrieveError::NoModels { name: scorer.model.to_owned() })
    }
}

/// OpenCompass's default encoder.
pub(super) fn default_encoder() -> String {
    "all-mpnet-base-v2".to_owned()
}

/// OpenCompass's default tokenizer, and its default model for surprisals.
pub(super) fn gpt2() -> String {
    "gpt2-xl".to_owned()
}
