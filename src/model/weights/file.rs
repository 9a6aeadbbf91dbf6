//! One weight file of either format.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use candle_core::quantized::GgmlDType;
use safetensors::SafeTensorError;
use safetensors::tensor::{Metadata, TensorInfo};

use crate::model::error::ModelError;
use crate::model::gguf::GgufFile;
use crate::model::stored_file::{StoredFile, StoredRange};

/// Bytes before a safetensors header: its length.
const HEADER_LENGTH_BYTES: usize = 8;

/// Most bytes of a safetensors header, as in the crate that defines the format.
const MOST_HEADER_BYTES: u64 = 100_000_000;

/// An open file and what is where in it.
#[derive(Debug)]
pub(in crate::model) struct WeightFile {
    pub(super) file: StoredFile,
    pub(super) tensors: BTreeMap<String, StoredTensor>,
}

/// Where a tensor's numbers are and what they are.
#[derive(Debug)]
pub(super) struct StoredTensor {
    /// What its bytes stand for.
    pub(super) numbers: Numbers,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Range<usize>,
}

/// What the bytes of a tensor stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Numbers one by one, or blocks of quantised ones.
    Plain(GgmlDType),
    /// 8-bit floats in E4M3, which have scales in another tensor.
    Fp8,
    /// Exponents of powers of two, as scales of 8-bit floats may be.
    Exponents,
    /// Numbers of a type that cannot be computed with, by its name.
    Other(String),
}

impl StoredTensor {
    /// Whether its numbers are quantised in blocks.
    pub(super) fn is_in_blocks(&self) -> bool {
        matches!(self.numbers, Numbers::Plain(dtype) if dtype.block_size() > 1)
    }

    /// What the type of its numbers is called.
    pub(super) fn type_name(&self) -> String {
        match &self.numbers {
            Numbers::Plain(dtype) => format!("{dtype:?}"),
            Numbers::Fp8 => "F8_E4M3".to_owned(),
            Numbers::Exponents => "F8_E8M0".to_owned(),
            Numbers::Other(name) => name.clone(),
        }
    }
}

impl WeightFile {
    /// Opens a safetensors file and checks its header.
    pub(in crate::model) fn open(path: &Path) -> Result<Self, ModelError> {
        let file = StoredFile::open(path)?;
        let damaged = |error: SafeTensorError| ModelError::Weights {
            path: path.to_owned(),
            problem: format!("damaged or incomplete: {error}"),
        };
        if file.bytes() < HEADER_LENGTH_BYTES {
            return Err(damaged(SafeTensorError::HeaderTooSmall));
        }
        let mut length = [0; HEADER_LENGTH_BYTES];
        file.read(0, &mut length)?;
        let header_bytes = u64::from_le_bytes(length);
        if header_bytes > MOST_HEADER_BYTES {
            return Err(damaged(SafeTensorError::HeaderTooLarge));
        }
        let data_start = HEADER_LENGTH_BYTES + header_bytes as usize;
        if data_start > file.bytes() {
            return Err(damaged(SafeTensorError::InvalidHeaderLength));
        }
        let header = file.range(HEADER_LENGTH_BYTES..data_start)?;
        // Reading it also checks that tensors follow one another and have the bytes of their shapes.
        let metadata: Metadata = serde_json::from_slice(&header)
            .map_err(|error| damaged(SafeTensorError::InvalidHeaderDeserialization(error)))?;
        if data_start.checked_add(metadata.data_len()) != Some(file.bytes()) {
            return Err(damaged(SafeTensorError::MetadataIncompleteBuffer));
        }
        let tensors = metadata.tensors().into_iter();
        let tensors =
            tensors.map(|(name, info)| (name, StoredTensor::new(info, data_start))).collect();
        Ok(Self { file, tensors })
    }

    /// Where it is.
    pub(in crate::model) fn path(&self) -> &Path {
        self.file.path()
    }

    /// The names of its tensors.
    pub(in crate::model) fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// The shape of a tensor.
    pub(in crate::model) fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(|tensor| tensor.shape.as_slice())
    }

    /// A tensor of that name.
    pub(super) fn tensor(&self, name: &str) -> Result<&StoredTensor, ModelError> {
        self.tensors.get(name).ok_or_else(|| ModelError::Weights {
            path: self.path().to_owned(),
            problem: format!("tensor `{name}` is missing"),
        })
    }

    /// A tensor's numbers as they are stored.
    pub(super) fn bytes(&self, tensor: &StoredTensor) -> StoredRange<'_> {
        StoredRange { file: &self.file, range: tensor.bytes.clone() }
    }

    /// The type of a tensor's numbers, if they can be computed with.
    pub(super) fn dtype(&self, name: &str, tensor: &StoredTensor) -> Result<GgmlDType, ModelError> {
        match tensor.numbers {
            Numbers::Plain(dtype) => Ok(dtype),
            _ => Err(ModelError::Unsupported {
                path: self.path().to_owned(),
                what: format!("tensor `{name}` of type {}", tensor.type_name()),
            }),
        }
    }
}

impl From<GgufFile> for WeightFile {
    fn from(file: GgufFile) -> Self {
        let (file, tensors) = file.into_parts();
        let tensors = tensors
            .into_iter()
            .map(|(name, tensor)| {
                let numbers = Numbers::Plain(tensor.dtype);
                (name, StoredTensor { numbers, shape: tensor.shape, bytes: tensor.bytes })
            })
            .collect();
        Self { file, tensors }
    }
}

impl StoredTensor {
    fn new(info: &TensorInfo, data_start: usize) -> Self {
        let (start, end) = info.data_offsets;
        Self {
            numbers: match info.dtype {
                safetensors::Dtype::F32 => Numbers::Plain(GgmlDType::F32),
                safetensors::Dtype::F16 => Numbers::Plain(GgmlDType::F16),
                safetensors::Dtype::BF16 => Numbers::Plain(GgmlDType::BF16),
                safetensors::Dtype::F8_E4M3 => Numbers::Fp8,
                safetensors::Dtype::F8_E8M0 => Numbers::Exponents,
                other => Numbers::Other(format!("{other:?}")),
            },
            shape: info.shape.clone(),
            bytes: data_start + start..data_start + end,
        }
    }
}
