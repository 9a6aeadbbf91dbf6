//! One mapped weight file of either format.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use candle_core::quantized::GgmlDType;
use memmap2::Mmap;
use safetensors::SafeTensors;
use safetensors::tensor::TensorInfo;

use crate::model::error::ModelError;
use crate::model::gguf::GgufFile;
use crate::model::mapped_file;

/// Bytes before a safetensors header: its length.
const HEADER_LENGTH_BYTES: usize = 8;

/// A mapped file and what is where in it.
#[derive(Debug)]
pub(in crate::model) struct WeightFile {
    pub(super) path: PathBuf,
    pub(super) map: Mmap,
    pub(super) tensors: BTreeMap<String, StoredTensor>,
}

/// Where a tensor's numbers are and what they are.
#[derive(Debug)]
pub(super) struct StoredTensor {
    /// The name of their type where it cannot be computed with.
    dtype: Result<GgmlDType, String>,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Range<usize>,
}

impl StoredTensor {
    /// What the type of its numbers is called.
    pub(super) fn type_name(&self) -> String {
        self.dtype.as_ref().map_or_else(Clone::clone, |dtype| format!("{dtype:?}"))
    }
}

impl WeightFile {
    /// Maps a safetensors file and checks its header.
    pub(in crate::model) fn open(path: PathBuf) -> Result<Self, ModelError> {
        let map = mapped_file::map(&path)?;
        let (header_bytes, metadata) =
            SafeTensors::read_metadata(&map).map_err(|error| ModelError::Weights {
                path: path.clone(),
                problem: format!("damaged or incomplete: {error}"),
            })?;
        let data_start = HEADER_LENGTH_BYTES + header_bytes;
        let tensors = metadata.tensors().into_iter();
        let tensors =
            tensors.map(|(name, info)| (name, StoredTensor::new(info, data_start))).collect();
        Ok(Self { path, map, tensors })
    }

    /// Where it is.
    pub(in crate::model) fn path(&self) -> &Path {
        &self.path
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
            path: self.path.clone(),
            problem: format!("tensor `{name}` is missing"),
        })
    }

    /// A tensor's numbers as they are stored.
    pub(super) fn bytes(&self, name: &str, tensor: &StoredTensor) -> Result<&[u8], ModelError> {
        self.map.get(tensor.bytes.clone()).ok_or_else(|| ModelError::Weights {
            path: self.path.clone(),
            problem: format!("tensor `{name}` reaches beyond the end of the file"),
        })
    }

    /// The type of a tensor's numbers, if they can be computed with.
    pub(super) fn dtype(&self, name: &str, tensor: &StoredTensor) -> Result<GgmlDType, ModelError> {
        tensor.dtype.clone().map_err(|dtype| ModelError::Unsupported {
            path: self.path.clone(),
            what: format!("tensor `{name}` of type {dtype}"),
        })
    }
}

impl From<GgufFile> for WeightFile {
    fn from(file: GgufFile) -> Self {
        let (path, map, tensors) = file.into_parts();
        let tensors = tensors
            .into_iter()
            .map(|(name, tensor)| {
                let dtype = Ok(tensor.dtype);
                (name, StoredTensor { dtype, shape: tensor.shape, bytes: tensor.bytes })
            })
            .collect();
        Self { path, map, tensors }
    }
}

impl StoredTensor {
    fn new(info: &TensorInfo, data_start: usize) -> Self {
        let (start, end) = info.data_offsets;
        Self {
            dtype: match info.dtype {
                safetensors::Dtype::F32 => Ok(GgmlDType::F32),
                safetensors::Dtype::F16 => Ok(GgmlDType::F16),
                safetensors::Dtype::BF16 => Ok(GgmlDType::BF16),
                other => Err(format!("{other:?}")),
            },
            shape: info.shape.clone(),
            bytes: data_start + start..data_start + end,
        }
    }
}
