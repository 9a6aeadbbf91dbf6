//! Questions to a model, and its answers.
//!
//! A [`Question`] is a sequence of token ids and what is wanted of it: how surprising its tokens are, or how
//! it goes on. A model behind a server is asked the same of a text, because its tokenizer is there. An [`Answerer`]
//! takes a list of questions and tells each answer as soon as it is known; [`Fleet`](crate::engine::Fleet), the engine
//! on one or more devices, is one, and [`Served`](served::Served), a server, another. A question has a
//! [`QuestionKey`] made of all that decides its answer, the model's own bytes included, so an answer that
//! was kept is the answer to whoever asks the same again.
//!
//! Nothing here knows what an answer means: no label, no gold, no data set.

mod fleet;
mod key;
mod question;
pub mod served;
mod served_question;

pub use key::{ModelIdentity, ModelKey, QuestionKey};
pub use question::{Answer, Answered, Question};
pub use served_question::{
    ServedContinuation, ServedQuestion, ServedScore, ServedText, ServedTokens, ServedWanted,
};

use crate::engine::EngineStatistics;

/// What an answerer tells while it works.
#[derive(Debug)]
pub enum AnswerEvent {
    /// So many more tokens are computed.
    Computed(usize),
    /// The question of this index is answered.
    Answered(usize, Answer),
}

/// Whatever can answer questions.
pub trait Answerer {
    /// Answers all questions, each exactly once, in whatever order suits.
    fn answer(&self, questions: &[Question], tell: &mut dyn FnMut(AnswerEvent));

    /// Computes nothing from now on: what is not answered yet fails, at once.
    fn stop(&self);

    /// What it has done so far.
    fn statistics(&self) -> EngineStatistics;
}
