//! Why one request has no answer.

use thiserror::Error;

/// What is wrong with a single request; the others are answered all the same.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RequestError {
    /// There is no token at all.
    #[error("the request has no tokens")]
    Empty,
    /// The sequence is longer than the model can read.
    #[error(
        "the request has {tokens} tokens, but the model reads at most {context_tokens}; \
         shorten it or set `max_seq_len` so that it is truncated"
    )]
    TooLong {
        /// Tokens of the request.
        tokens: usize,
        /// The model's context.
        context_tokens: usize,
    },
    /// A token the model has no embedding for.
    #[error("token id {id} is outside the model's vocabulary of {vocabulary_size}")]
    UnknownToken {
        /// The id.
        id: u32,
        /// Rows of the embedding.
        vocabulary_size: usize,
    },
    /// The model's output is not a finite number.
    #[error("the model's output is not finite; first seen {}", place(*.layer))]
    NotFinite {
        /// The first layer whose output is not finite, from 0; `None` if only the logits are.
        layer: Option<usize>,
    },
    /// A tensor operation or the tokenizer failed.
    #[error("the computation failed: {0}")]
    Compute(String),
}

fn place(layer: Option<usize>) -> String {
    layer.map_or_else(|| "in the logits".to_owned(), |layer| format!("after layer {layer}"))
}

impl From<candle_core::Error> for RequestError {
    fn from(error: candle_core::Error) -> Self {
        // With RUST_BACKTRACE set, candle's messages go on for pages.
        let message = error.to_string();
        Self::Compute(message.lines().next().unwrap_or_default().to_owned())
    }
}
