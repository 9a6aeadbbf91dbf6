//! What a file says about itself: keys with typed values.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::cursor::{Cursor, Damage};
use super::value::{FromValue, Value};
use crate::model::error::ModelError;

/// What an entry takes at least: the lengths of its key, its type and a byte.
const LEAST_ENTRY_BYTES: usize = 8 + 4 + 1;

/// The metadata of a file, by key.
///
/// Values are read as the type that the caller names, and a value of another type is an error that
/// names file, key and both types:
///
/// ```ignore
/// let architecture: &str = metadata.required("general.architecture")?;
/// let tokens: &[String] = metadata.required("tokenizer.ggml.tokens")?;
/// let template: Option<&str> = metadata.optional("tokenizer.chat_template")?;
/// ```
#[derive(Clone, Debug)]
pub struct Metadata {
    path: PathBuf,
    entries: BTreeMap<String, Value>,
}

impl Metadata {
    /// Reads `count` entries of the file at `path`.
    pub(super) fn read(path: &Path, cursor: &mut Cursor<'_>, count: usize) -> Result<Self, Damage> {
        let mut entries = BTreeMap::new();
        for number in 0..count {
            let before = cursor.clone();
            let key = cursor.text().map_err(|damage| {
                damage.within(|| format!("key {} of {count} of the metadata", number + 1))
            })?;
            let value = Value::read(cursor)
                .map_err(|damage| damage.within(|| format!("the value of `{key}`")))?;
            if entries.insert(key.to_owned(), value).is_some() {
                return Err(before.damage(format!("`{key}` is there twice")));
            }
        }
        Ok(Self { path: path.to_owned(), entries })
    }

    /// How many entries follow.
    pub(super) fn read_count(cursor: &mut Cursor<'_>) -> Result<usize, Damage> {
        cursor.count("entries of metadata", LEAST_ENTRY_BYTES)
    }

    /// The file it is from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every key, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The value of a key, whatever its type.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(key)
    }

    /// The value of a key, if it is there; an error if it is of another type.
    ///
    /// `T` is `bool`, `&str`, `u32`, `usize`, `f64` (from whole numbers too), or a list `&[String]`,
    /// `&[i128]`, `&[f64]`, `&[bool]`.
    pub fn optional<'a, T: FromValue<'a>>(&'a self, key: &str) -> Result<Option<T>, ModelError> {
        self.get(key)
            .map(|value| T::from_value(value).ok_or_else(|| self.expected(key, T::EXPECTED)))
            .transpose()
    }

    /// The value of a key; an error if it is not there or of another type. Types as
    /// [`Self::optional`].
    pub fn required<'a, T: FromValue<'a>>(&'a self, key: &str) -> Result<T, ModelError> {
        self.optional(key)?.ok_or_else(|| self.expected(key, T::EXPECTED))
    }

    /// The error that the value of `key` is not `what` is expected.
    pub fn expected(&self, key: &str, what: &str) -> ModelError {
        let found = self.get(key).map_or_else(|| "nothing".to_owned(), Value::brief);
        ModelError::Config {
            path: self.path.clone(),
            problem: format!("`{key}` should be {what}, found {found}"),
        }
    }

    /// The error that what `key` asks for is not supported.
    pub fn unsupported(&self, key: &str) -> ModelError {
        let value = self.get(key).map_or_else(String::new, |value| format!(" = {}", value.brief()));
        ModelError::Unsupported { path: self.path.clone(), what: format!("`{key}`{value}") }
    }
}
