//! Why a run cannot start or cannot go on.

use crate::{
    chat::ChatError,
    config::{ConfigError, Origin},
    dataset::DatasetError,
    evaluate::EvaluateError,
    infer::InferError,
    model::ModelError,
    prompt::PromptError,
    report::ReportError,
    retrieve::RetrieveError,
    store::StoreError,
};

/// An error that stops a run. Samples that fail on their own are records, not errors.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
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
    /// The rows of a data set cannot be used.
    #[error("data set {dataset}: {source}")]
    Dataset {
        /// Its name.
        dataset: String,
        /// Why.
        source: Box<DatasetError>,
    },
    /// Examples cannot be retrieved.
    #[error("data set {dataset}: {source}")]
    Retrieve {
        /// Its name.
        dataset: String,
        /// Why.
        source: Box<RetrieveError>,
    },
    /// The prompts of a data set cannot be built for a model.
    #[error("data set {dataset}, model {model}: {source}")]
    Infer {
        /// The data set.
        dataset: String,
        /// The model.
        model: String,
        /// Why.
        source: Box<InferError>,
    },
    /// The records of a data set cannot be evaluated.
    #[error("data set {dataset}, model {model}: {source}")]
    Evaluate {
        /// The data set.
        dataset: String,
        /// The model.
        model: String,
        /// Why.
        source: Box<EvaluateError>,
    },
    /// A checkpoint cannot be used.
    #[error("model {model}: {source}")]
    Model {
        /// Its name.
        model: String,
        /// Why.
        source: Box<ModelError>,
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
    /// The checkpoint's chat template cannot be used.
    #[error("model {model}: {source}")]
    Chat {
        /// The model.
        model: String,
        /// Why.
        source: Box<ChatError>,
    },
    /// Two models, or a device and the CPU, cannot be compared.
    #[error("{subject}: {problem}")]
    Comparison {
        /// The model, the text, the device or the folder.
        subject: String,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// The device cannot be used.
    #[error(transparent)]
    Device(Box<ModelError>),
    /// The summarizer of the config does not work.
    #[error("summarizer: {0}")]
    Report(#[from] ReportError),
    /// A file of the run cannot be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<PromptError> for RunError {
    fn from(error: PromptError) -> Self {
        Self::Template(Box::new(error))
    }
}
