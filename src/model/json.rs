//! Reading the JSON files of a checkpoint.

use std::path::Path;

use serde_json::Value;

use super::error::ModelError;

/// Reads a JSON file that must be there.
pub(super) fn read(path: &Path) -> Result<Value, ModelError> {
    let bytes =
        std::fs::read(path).map_err(|source| ModelError::Io { path: path.to_owned(), source })?;
    serde_json::from_slice(&bytes).map_err(|error| ModelError::Config {
        path: path.to_owned(),
        problem: format!("not valid JSON: {error}"),
    })
}

/// Reads a JSON file that may be absent.
pub(super) fn read_optional(path: &Path) -> Result<Option<Value>, ModelError> {
    if path.is_file() { read(path).map(Some) } else { Ok(None) }
}
