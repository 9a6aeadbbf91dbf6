//! Why a plan cannot be made.

use crate::{
    config::{ConfigError, Origin},
    prompt::PromptError,
    tasks::TaskError,
};

/// What is wrong with what a config asks for.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A config is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A template or meta template is wrong.
    #[error(transparent)]
    Template(Box<PromptError>),
    /// The templates of a data set do not go together.
    #[error("{origin}: data set {dataset}: {source}")]
    Prompt {
        /// Where the data set is written.
        origin: Origin,
        /// Its name.
        dataset: String,
        /// Why.
        source: Box<PromptError>,
    },
    /// A task of lm-evaluation-harness is wrong, or there is none of its name.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// There is nothing to run.
    #[error("{files}: there is no {what} to run; {how}")]
    Nothing {
        /// The configs.
        files: String,
        /// What is missing.
        what: &'static str,
        /// How to add it.
        how: &'static str,
    },
    /// Nothing is called like that.
    #[error("no {what} matches {pattern:?}; there are: {names}")]
    NoSuch {
        /// What kind of thing.
        what: &'static str,
        /// What was looked for.
        pattern: String,
        /// What there is.
        names: String,
    },
}

impl From<PromptError> for PlanError {
    fn from(error: PromptError) -> Self {
        Self::Template(Box::new(error))
    }
}
