//! From samples to engine requests, and from the engine's answers to records.
//!
//! An [`Inferencer`] decides what is asked about a sample (every candidate's surprisal, or a
//! continuation) and what the answers mean. It builds the prompts of all samples before the model is
//! loaded, so that a template that cannot work costs seconds and not hours; only the prompts of a
//! dialogue that show the model its own replies come later ([`Inferencer::next`]). It never touches a
//! tensor and never evaluates: predictions are compared with golds later, from the stored records alone.

mod chat;
mod continuation;
mod dialogue;
mod examples;
mod fit;
mod generate;
mod multi_turn;
mod normalized;
mod ppl;
mod ppl_only;
mod prepared;
mod record;
mod task;

pub use dialogue::DialogueInferencer;
pub use generate::GenInferencer;
pub use ppl::PplInferencer;
pub use ppl_only::PplOnlyInferencer;
pub use prepared::{Prepared, PreparedPrompt, Request, TurnNote};
pub use record::{Candidate, CountedTokens, DialogueForm, Exchange, Normalizer, Outcome, Record};
pub use task::{Render, Task, Tokenize};

use crate::{
    config::{Component, ConfigError, unknown_name},
    engine::{Generation, Sampling, Score},
    prompt::PromptError,
};

/// Turns the samples of one data set into work and the answers into outcomes.
pub trait Inferencer: Send + Sync + std::fmt::Debug {
    /// The name of the method in summaries: `ppl` or `gen`.
    fn mode(&self) -> &'static str;

    /// Whether a data set must give a template.
    fn needs_template(&self) -> bool {
        true
    }

    /// Most tokens that are generated after a prompt; 0 when nothing is.
    fn max_new_tokens(&self) -> usize {
        0
    }

    /// Whether its prompts hold the in-context examples that were retrieved.
    fn shows_examples(&self) -> bool {
        true
    }

    /// Finds what is wrong with the data set as a whole; gives notes about what is merely odd.
    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError>;

    /// The prompts of one sample, fitted into the context and tokenised: all that do not depend on
    /// an answer.
    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError>;

    /// What to ask the engine about a prompt.
    fn request(&self, prompt: &PreparedPrompt) -> Request;

    /// What to ask about a sample after all that was asked is answered; most inferencers ask everything
    /// at once.
    fn next(
        &self,
        _task: &Task<'_>,
        _asked: &Prepared,
        _answers: &[Answer],
    ) -> Result<Option<PreparedPrompt>, InferError> {
        Ok(None)
    }

    /// What the answers, one per prompt in order, say about the sample.
    fn outcome(&self, prepared: Prepared, answers: Vec<Answer>) -> Outcome;
}

/// One answer of the engine, or why there is none.
#[derive(Clone, Debug)]
pub enum Answer {
    /// To a score request.
    Score(Score),
    /// To a generate request.
    Generation(Generation),
    /// The request failed.
    Failed(String),
}

/// Why a data set cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum InferError {
    /// The prompt of a sample cannot be built.
    #[error("sample {sample}: {source}")]
    Prompt {
        /// Index in the test split.
        sample: usize,
        /// Why.
        source: PromptError,
    },
    /// The tokenizer refused a text.
    #[error("sample {sample}: the tokenizer failed: {what}")]
    Tokenizer {
        /// Index in the test split.
        sample: usize,
        /// Its words.
        what: String,
    },
    /// Nothing of a sample's text counts.
    #[error(
        "sample {sample}: the assistant says nothing in this conversation, or its text was cut off; \
         assistant_only needs assistant turns, such as a BOT prompt or messages of that role"
    )]
    NoAssistant {
        /// Index in the test split.
        sample: usize,
    },
    /// The inferencer and the data set do not go together.
    #[error("{0}")]
    Mismatch(String),
}

/// What a model's entry in the config gives an inferencer that does not say it itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelDefaults {
    /// Most tokens to generate.
    pub max_out_len: Option<usize>,
    /// Fewest tokens to generate.
    pub min_out_len: Option<usize>,
    /// How tokens are drawn; `None` takes the likeliest.
    pub sampling: Option<Sampling>,
}

type Constructor = fn(&Component, ModelDefaults) -> Result<Box<dyn Inferencer>, ConfigError>;

/// Every inferencer, by its OpenCompass name.
const INFERENCERS: &[(&str, Constructor)] = &[
    ("ChatInferencer", |component, defaults| Ok(Box::new(chat::inferencer(component, defaults)?))),
    ("GenInferencer", |component, defaults| {
        Ok(Box::new(GenInferencer::from_component(component, defaults)?))
    }),
    ("MultiTurnGenInferencer", |component, defaults| {
        Ok(Box::new(multi_turn::inferencer(component, defaults)?))
    }),
    ("PPLInferencer", |component, _| Ok(Box::new(PplInferencer::from_component(component)?))),
    ("PPLOnlyInferencer", |component, _| {
        Ok(Box::new(PplOnlyInferencer::from_component(component)?))
    }),
];

/// Fields that mean nothing here: batches follow from memory, records are written as answers come, and
/// the context is the model's to say, whose `max_seq_len` OpenCompass lets win as well.
const IDLE_FIELDS: [&str; 3] = ["batch_size", "max_seq_len", "save_every"];

/// The inferencer that a config names.
pub fn build(
    component: &Component,
    defaults: ModelDefaults,
) -> Result<Box<dyn Inferencer>, ConfigError> {
    if let Some((_, construct)) = INFERENCERS.iter().find(|(name, _)| *name == component.type_name)
    {
        let mut component = component.clone();
        for field in IDLE_FIELDS {
            component.params.remove(field);
        }
        return construct(&component, defaults);
    }
    let names = INFERENCERS.iter().map(|(name, _)| *name);
    Err(unknown_name("inferencer", &component.type_name, names, &component.origin))
}
