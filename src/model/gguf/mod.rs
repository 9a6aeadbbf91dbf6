//! GGUF: a whole model in one file, as llama.cpp and its kin write it.
//!
//! A file is a header, metadata (keys with typed values: sizes, tokenizer, chat template), a list of
//! tensors and their numbers, which may be quantised in blocks. [`GgufFile::open`] opens it and checks
//! all of that except the numbers; versions 2 and 3, little-endian. [`GgufFiles`] are those of a model
//! that may have been split.
//!
//! This folder knows the format and no model. What metadata means for a decoder is said elsewhere.
//!
//! The format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.

mod cursor;
mod file;
mod files;
mod metadata;
mod tensor;
mod value;

pub use file::GgufFile;
pub use files::GgufFiles;
pub use metadata::Metadata;
pub use tensor::GgufTensor;
pub use value::{FromValue, List, Value};
