//! Why a plan cannot be prepared.

use crate::{
    chat::ChatError, config::ConfigError, dataset::DatasetError, infer::InferError,
    model::ModelError, passages::PassageError, plan::PlanError, retrieve::RetrieveError,
};

/// What keeps rows, examples, checkpoints or prompts from being made ready.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The plan itself is wrong.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The rows of a data set cannot be used.
    #[error("{}", of_dataset(dataset, source))]
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
    /// Passages cannot be found for the rows of a data set.
    #[error("data set {dataset}: {source}")]
    Passages {
        /// Its name.
        dataset: String,
        /// Why.
        source: Box<PassageError>,
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
    /// A checkpoint cannot be used.
    #[error("model {model}: {source}")]
    Model {
        /// Its name.
        model: String,
        /// Why.
        source: Box<ModelError>,
    },
    /// The checkpoint's chat template cannot be used.
    #[error("model {model}: {source}")]
    Chat {
        /// The model.
        model: String,
        /// Why.
        source: Box<ChatError>,
    },
    /// The device cannot be used.
    #[error(transparent)]
    Device(Box<ModelError>),
    /// Two models, or a device and the CPU, cannot be compared.
    #[error("{subject}: {problem}")]
    Comparison {
        /// The model, the text, the device or the folder.
        subject: String,
        /// What is wrong with it, and what to do.
        problem: String,
    },
}

/// What is wrong with a data set, which is named once.
fn of_dataset(dataset: &str, source: &DatasetError) -> String {
    let problem = source.to_string();
    if problem.starts_with("data set ") {
        problem
    } else {
        format!("data set {dataset}: {problem}")
    }
}

impl From<ConfigError> for PrepareError {
    fn from(error: ConfigError) -> Self {
        Self::Plan(error.into())
    }
}
