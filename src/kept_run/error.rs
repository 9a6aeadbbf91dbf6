//! Why a run cannot go on.

use crate::{
    answer::served::ServerRefusal, config::ConfigError, evaluate::EvaluateError, plan::PlanError,
    prepare::PrepareError, report::ReportError, sandbox::SandboxError, store::StoreError,
};

/// An error that stops a run. Samples that fail on their own are records, not errors.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// What is asked for cannot be made ready.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The answers of a data set cannot be evaluated.
    #[error("data set {dataset}, model {model}: {source}")]
    Evaluate {
        /// The data set.
        dataset: String,
        /// The model.
        model: String,
        /// Why.
        source: Box<EvaluateError>,
    },
    /// There are warnings, and they were to be errors.
    #[error("{kinds} {} above, and --strict makes them errors; no weights were read", if *kinds == 1 { "warning" } else { "warnings" })]
    Warned {
        /// How many lines of them.
        kinds: usize,
    },
    /// It would compute more than it may.
    #[error("it may compute {needed} tokens, and {budget} are left; nothing was asked")]
    OverBudget {
        /// Tokens that it may come to compute.
        needed: usize,
        /// Tokens that it may compute.
        budget: usize,
    },
    /// What is asked for needs a model that runs here.
    #[error("model {model} is behind a server: {what}")]
    NotServed {
        /// The model.
        model: String,
        /// Why it cannot be, and what to do.
        what: &'static str,
    },
    /// A server cannot do what is asked of it.
    #[error("model {model}: {source}")]
    Server {
        /// The model.
        model: String,
        /// Why.
        source: Box<ServerRefusal>,
    },
    /// A run without candidates has nothing to choose among.
    #[error(
        "run {run} chooses among no candidates, so no scoring rule can choose otherwise; rules are for PPLInferencer"
    )]
    NoCandidates {
        /// The run.
        run: String,
    },
    /// Prompt sensitivity needs several wordings.
    #[error(
        "POSIX is found out of variants of a data set, and none has any; write variants=dict(…) into its entry"
    )]
    NoVariants,
    /// What a model wrote cannot be run here.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The summarizer of the config does not work.
    #[error("summarizer: {0}")]
    Report(#[from] ReportError),
    /// A part of a run cannot be asked by itself.
    #[error("--shard: {0}")]
    ShardRefused(String),
    /// A shard was told to end.
    #[error("stopped; what is answered is kept; repeat the command to go on")]
    ShardStopped,
    /// Shards cannot be merged, each with the reason.
    #[error("nothing is merged:\n{}", .0.join("\n"))]
    ShardsRefused(Vec<String>),
    /// Shards are missing or have not ended, each with what is lacking and how it is asked.
    #[error("nothing is merged yet:\n{}", .0.join("\n"))]
    ShardsMissing(Vec<String>),
    /// Questions that come up only while others are answered were not asked by any shard.
    #[error(
        "nothing is merged: {questions} questions that follow from other answers have no answer in any shard; ask all shards \
         of one number once more, each goes on where it ended"
    )]
    ShardsLack {
        /// How many.
        questions: usize,
    },
    /// A file of the run cannot be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RunError {
    /// Whether the same command may succeed later, with nothing changed but time and other processes.
    pub fn is_temporary(&self) -> bool {
        matches!(
            self,
            Self::ShardStopped
                | Self::ShardsMissing(_)
                | Self::ShardsLack { .. }
                | Self::Store(StoreError::Held { .. })
        )
    }
}

impl From<PlanError> for RunError {
    fn from(error: PlanError) -> Self {
        Self::Prepare(error.into())
    }
}

impl From<ConfigError> for RunError {
    fn from(error: ConfigError) -> Self {
        Self::Prepare(error.into())
    }
}
