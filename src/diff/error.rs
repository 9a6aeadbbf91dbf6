//! Why two sides cannot be held side by side.

use std::{io, path::PathBuf};

use crate::kept_run::RunError;

/// An error that ends a comparison.
#[derive(Debug, thiserror::Error)]
pub enum DiffError {
    /// A run cannot be found or read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file or folder cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// It.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not what its name says.
    #[error("{place}: {what}")]
    Format {
        /// The file, and the line or entry in it.
        place: String,
        /// What is wrong, and what is expected.
        what: String,
    },
    /// It is not clear what is to be compared with what.
    #[error("{what}")]
    Choice {
        /// What there is, and how one of it is named.
        what: String,
    },
}

impl DiffError {
    /// A file or entry that is not as expected.
    pub(super) fn format(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Format { place: place.into(), what: what.into() }
    }
}
