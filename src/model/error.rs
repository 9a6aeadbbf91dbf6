//! What can be wrong with a checkpoint or a device, in words for the person who named it.

use std::path::PathBuf;

use thiserror::Error;

use crate::{hub::HubError, shipped::ShippedError};

/// Why a checkpoint cannot be opened, described or loaded.
#[derive(Debug, Error)]
pub enum ModelError {
    /// The name is neither a folder, a GGUF file nor one that a hub could know.
    #[error(
        "no checkpoint `{name}`: there is no such folder or GGUF file; give the path of a folder with config.json or of \
         a .gguf file, or the name of a model on the hub, such as Qwen/Qwen3-0.6B"
    )]
    NotFound {
        /// As the user wrote it.
        name: String,
    },
    /// It is behind a server, and what is asked of it needs the weights.
    #[error(
        "{name} is behind a server: this needs a checkpoint, so give the path of one or its name on the hub"
    )]
    Served {
        /// Its name there.
        name: String,
    },
    /// The name is no folder, and the hub does not give a checkpoint of that name.
    #[error("`{name}` is no folder here, so it was looked for on the hub: {source}")]
    Hub {
        /// As the user wrote it.
        name: String,
        /// Why.
        source: Box<HubError>,
    },
    /// The checkpoint that ships with the program cannot be written to where it is read.
    #[error(transparent)]
    Shipped(#[from] ShippedError),
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A JSON file does not hold what it must.
    #[error("{}: {problem}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// Field, what was found, what is expected.
        problem: String,
    },
    /// Activations cannot be rounded as asked.
    #[error("{}: {reason}", path.display())]
    Activations {
        /// The checkpoint.
        path: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// The checkpoint is well-formed, but asks for something the decoder cannot compute.
    #[error("{}: {what} is not supported; it is refused rather than approximated", path.display())]
    Unsupported {
        /// The file that asks for it.
        path: PathBuf,
        /// The field and its value.
        what: String,
    },
    /// A weight file is damaged, missing or does not fit the config.
    #[error("{}: {problem}", path.display())]
    Weights {
        /// The weight file or its index.
        path: PathBuf,
        /// What is wrong, with the tensor's name where there is one.
        problem: String,
    },
    /// The weights are there, but in a form that is not read.
    #[error("{} {what}; {advice}", path.display())]
    Foreign {
        /// The file or folder.
        path: PathBuf,
        /// What it is, as the rest of a sentence about it.
        what: String,
        /// How to come by weights that are read.
        advice: String,
    },
    /// A tensor does not have the shape the config implies.
    #[error(
        "{}: tensor `{tensor}` has shape {found:?}, but the config implies {expected:?}",
        path.display()
    )]
    Shape {
        /// The weight file.
        path: PathBuf,
        /// The tensor's name.
        tensor: String,
        /// The shape that follows from the config.
        expected: Vec<usize>,
        /// The shape in the file.
        found: Vec<usize>,
    },
    /// The tokenizer cannot be built, or does not belong to the model.
    #[error("{}: {problem}", path.display())]
    Tokenizer {
        /// The tokenizer file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The device does not exist or this build cannot use it.
    #[error("{0}")]
    Device(String),
    /// A tensor operation failed while the weights were loaded.
    #[error("loading the weights failed: {0}")]
    Tensor(#[from] candle_core::Error),
}
