//! What an architecture is read from: its keys of the metadata, and a few tensors.

use std::cell::RefCell;
use std::collections::BTreeSet;

use candle_core::quantized::GgmlDType;

use crate::model::error::ModelError;
use crate::model::gguf::{FromValue, GgufFiles, Metadata, Value};

/// Reads the keys of one architecture and remembers which.
pub(super) struct Source<'a> {
    /// What stands before its keys.
    architecture: &'a str,
    metadata: &'a Metadata,
    files: &'a GgufFiles,
    read: RefCell<BTreeSet<String>>,
}

impl<'a> Source<'a> {
    /// The keys of `architecture`, none of which was read.
    pub(super) fn new(architecture: &'a str, files: &'a GgufFiles) -> Self {
        Self { architecture, metadata: files.metadata(), files, read: RefCell::default() }
    }

    fn key(&self, key: &str) -> String {
        let key = format!("{}.{key}", self.architecture);
        self.read.borrow_mut().insert(key.clone());
        key
    }

    /// The value of a key, if it is there.
    pub(super) fn optional<T: FromValue<'a>>(&self, key: &str) -> Result<Option<T>, ModelError> {
        self.metadata.optional(&self.key(key))
    }

    /// The value of a key that must be there.
    pub(super) fn required<T: FromValue<'a>>(&self, key: &str) -> Result<T, ModelError> {
        self.metadata.required(&self.key(key))
    }

    /// The value of a key, whatever its type.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.metadata.get(&self.key(key))
    }

    /// A number of something, if it is there and not zero, which stands for nothing.
    pub(super) fn count(&self, key: &str) -> Result<Option<usize>, ModelError> {
        Ok(self.optional::<usize>(key)?.filter(|&count| count > 0))
    }

    /// Width of a head.
    pub(super) fn head_size(&self) -> Result<usize, ModelError> {
        if let Some(size) = self.count("attention.key_length")? {
            return Ok(size);
        }
        let hidden_size = self.required::<usize>("embedding_length")?;
        match self.required::<usize>("attention.head_count")? {
            heads if heads > 0 && hidden_size.is_multiple_of(heads) => Ok(hidden_size / heads),
            _ => Err(self.expected("attention.head_count", "a divisor of the embedding's length")),
        }
    }

    /// The first key of the architecture that was never read and is not `ignored`.
    pub(super) fn unread(&self, ignored: &[&str]) -> Option<&'a str> {
        let read = self.read.borrow();
        self.metadata.keys().find(|key| {
            let own = key.strip_prefix(self.architecture).and_then(|key| key.strip_prefix('.'));
            own.is_some_and(|own| !ignored.contains(&own) && !read.contains(*key))
        })
    }

    /// The refusal of what a key asks for.
    pub(super) fn unsupported(&self, key: &str) -> ModelError {
        self.metadata.unsupported(&self.key(key))
    }

    /// The complaint that the value of a key is not `what` it should be.
    pub(super) fn expected(&self, key: &str, what: &str) -> ModelError {
        self.metadata.expected(&self.key(key), what)
    }

    /// A complaint about the file.
    pub(super) fn damaged(&self, problem: String) -> ModelError {
        ModelError::Weights { path: self.metadata.path().to_owned(), problem }
    }

    /// Whether there is a tensor.
    pub(super) fn has_tensor(&self, name: &str) -> bool {
        self.files.tensor(name).is_some()
    }

    /// How many rows a matrix has.
    pub(super) fn rows(&self, name: &str) -> Result<usize, ModelError> {
        match self.files.tensor(name).map(|(_, tensor)| tensor.shape.as_slice()) {
            Some(&[rows, _]) => Ok(rows),
            Some(shape) => Err(self.damaged(format!("tensor `{name}` is no matrix: {shape:?}"))),
            None => Err(self.damaged(format!("tensor `{name}` is missing"))),
        }
    }

    /// The numbers above zero of a vector, if it is there.
    pub(super) fn factors(&self, name: &str) -> Result<Option<Vec<f64>>, ModelError> {
        let Some((file, tensor)) = self.files.tensor(name) else { return Ok(None) };
        let numbers: Vec<f64> = file
            .bytes(tensor)?
            .as_chunks::<4>()
            .0
            .iter()
            .map(|&bytes| f32::from_le_bytes(bytes).into())
            .collect();
        let is_vector = tensor.dtype == GgmlDType::F32 && tensor.shape.len() == 1;
        if !is_vector || !numbers.iter().all(|&number| number > 0.0 && number < f64::INFINITY) {
            return Err(self.damaged(format!(
                "tensor `{name}` should be a list of f32 numbers above zero, found {:?} of {:?}",
                tensor.shape, tensor.dtype
            )));
        }
        Ok(Some(numbers))
    }
}
