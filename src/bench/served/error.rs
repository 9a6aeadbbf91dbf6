//! Why a server was not measured.

use crate::{answer::served::ServerRefusal, plan::PlanError, prepare::PrepareError};

/// An error that ends the measurement of a server.
#[derive(Debug, thiserror::Error)]
pub enum ServedBenchError {
    /// The server cannot be asked.
    #[error(transparent)]
    Server(#[from] ServerRefusal),
    /// The prompts of a config cannot be made.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// A data set wants no continuation.
    #[error(
        "data set {dataset} scores given texts, and what is measured here is how fast text is written; choose a data set with \
         GenInferencer, or none for made-up prompts"
    )]
    Scored {
        /// The data set.
        dataset: String,
    },
    /// The data sets ask nothing.
    #[error(
        "the data sets of these configs have no prompt to send; name others, or none for made-up prompts"
    )]
    NoPrompt,
    /// The prompts would fill the memory.
    #[error(
        "{requests} prompts of {prompt_tokens} tokens are too much to be made up beforehand; choose fewer requests or shorter \
         prompts"
    )]
    TooMuch {
        /// How many.
        requests: usize,
        /// How long each is.
        prompt_tokens: usize,
    },
    /// Nothing was answered before the measurement.
    #[error(
        "{name} answered none of {requests} requests before the measurement: {what}; look at the address, --served-model, \
         --api, --extra-body and --timeout"
    )]
    NoWarmUp {
        /// The model and its server.
        name: String,
        /// How many were sent.
        requests: usize,
        /// What the first said.
        what: String,
    },
    /// There are too few threads for a load.
    #[error(
        "the system gives {started} threads of the {wanted} that this load needs; choose a smaller one"
    )]
    Threads {
        /// Those that there are.
        started: usize,
        /// Those that are needed.
        wanted: usize,
    },
}

impl From<PlanError> for ServedBenchError {
    fn from(error: PlanError) -> Self {
        Self::Prepare(error.into())
    }
}
