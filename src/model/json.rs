//! Reading the JSON files of a checkpoint.

use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use super::error::ModelError;
use crate::regular_file::{self, MOST_SETTINGS_BYTES};

/// Reads a JSON file that must be there.
pub(super) fn read(path: &Path) -> Result<Value, ModelError> {
    let bytes = regular_file::read(path, MOST_SETTINGS_BYTES)
        .map_err(|source| ModelError::Io { path: path.to_owned(), source })?;
    serde_json::from_slice(&bytes).map_err(|error| ModelError::Config {
        path: path.to_owned(),
        problem: format!("not valid JSON: {error}"),
    })
}

/// Reads a JSON file that may be absent.
pub(super) fn read_optional(path: &Path) -> Result<Option<Value>, ModelError> {
    match read(path) {
        Err(ModelError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}
