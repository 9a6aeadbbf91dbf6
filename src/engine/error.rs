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
    /// Rows of an image are missing between others of it.
    #[error("the request has a part of an image; all rows of an image stand in a prompt, in order")]
    CutImage,
    /// The last of what is scored is no token.
    #[error("the request ends with an image, which no model predicts; let text follow it")]
    EndsWithImage,
    /// The model sees its whole prompt both ways, and where that ends is known of prompts with an image alone.
    #[error(
        "this model sees its whole prompt both ways, which is computed for prompts with an image alone"
    )]
    NoImage,
    /// A token the model has no embedding for.
    #[error("token id {id} is outside the model's vocabulary of {vocabulary_size}")]
    UnknownToken {
        /// The id.
        id: u32,
        /// Rows of the embedding.
        vocabulary_size: usize,
    },
    /// Keys and values of the request alone take more memory than there is for all.
    #[error(
        "the request needs {} of keys and values for {tokens} tokens, but the budget is {}; \
         allow more memory for them or set `max_seq_len` so that the prompt is truncated",
        mebibytes(*.needed_bytes), mebibytes(*.budget_bytes)
    )]
    TooLarge {
        /// Tokens of the request, those to be generated included.
        tokens: usize,
        /// What they need.
        needed_bytes: usize,
        /// What there is.
        budget_bytes: usize,
    },
    /// The model's output is not a finite number.
    #[error("the model's output is not finite; first seen {}", place(*.layer))]
    NotFinite {
        /// The first layer whose output is not finite, from 0; `None` if only the logits are.
        layer: Option<usize>,
    },
    /// A device failed in a way that it does not recover from.
    #[error(
        "the device is lost: {0}; what was not answered before is answered by another run, on another device or after a restart"
    )]
    DeviceLost(String),
    /// A tensor operation or the tokenizer failed.
    #[error("the computation failed: {0}")]
    Compute(String),
}

fn place(layer: Option<usize>) -> String {
    layer.map_or_else(|| "in the logits".to_owned(), |layer| format!("after layer {layer}"))
}

fn mebibytes(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

impl From<candle_core::Error> for RequestError {
    fn from(error: candle_core::Error) -> Self {
        // With RUST_BACKTRACE set, candle's messages go on for pages.
        let message = error.to_string();
        Self::Compute(message.lines().next().unwrap_or_default().to_owned())
    }
}
