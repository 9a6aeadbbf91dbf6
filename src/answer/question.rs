//! A question and its answer.

use std::sync::Arc;

use super::{ServedQuestion, ServedScore, ServedText};
use crate::engine::{GenerateRequest, Generation, Score, ScoreRequest};

/// What a model is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// How surprising a text is.
    Score(ScoreRequest),
    /// How a text goes on.
    Generate(GenerateRequest),
    /// Either of a model behind a server, which is given the text itself.
    Served(ServedQuestion),
}

impl Question {
    /// The ids that the model reads; none of a served model, whose tokenizer is at its server.
    pub fn ids(&self) -> &[u32] {
        match self {
            Self::Score(request) => &request.ids,
            Self::Generate(request) => &request.ids,
            Self::Served(_) => &[],
        }
    }
}

/// An answer with what the model read.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The ids of the question.
    pub ids: Arc<[u32]>,
    /// The answer.
    pub answer: Answer,
}

/// What a model answers, or why it does not.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// To a score question.
    Score(Score),
    /// To a generate question.
    Generation(Generation),
    /// A served model's to a question for surprisals.
    ServedScore(ServedScore),
    /// A served model's to a question for a continuation.
    ServedText(ServedText),
    /// The question failed. Failures are never kept.
    Failed(String),
}
