//! Weights in safetensors or GGUF files.
//!
//! A checkpoint is one file or several with an index. Opening it opens the files and checks their
//! headers against their lengths; numbers are read only when a parameter is asked for. Both the
//! check of a checkpoint and its loading go through [`ParameterSource`], so they cannot disagree
//! about which tensors a decoder needs. An adapter's tensors join those of the checkpoint it changes.

mod file;
mod foreign;
mod fp8;
mod header_check;
mod loader;
mod low_rank;
mod split_loader;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Tensor};
use serde::Serialize;
use serde_json::Value;

use self::file::StoredTensor;
pub(super) use self::file::WeightFile;
pub(super) use self::foreign::refusal as foreign_weights;
pub(super) use self::header_check::HeaderCheck;
pub(super) use self::loader::Loader;
pub(super) use self::low_rank::LowRank;
pub(super) use self::split_loader::SplitLoader;
use super::error::ModelError;
use super::fp8_scheme::Fp8Scheme;
use super::gguf::GgufFiles;
use super::json;
use super::names::spellings;
use super::stacked_map::StackedMap;
use super::stored_matrix::StoredMatrix;
use crate::ops::linear::Weight;

pub(super) const SINGLE_FILE: &str = "model.safetensors";
pub(super) const INDEX_FILE: &str = "model.safetensors.index.json";

/// Gives the parameters of a model by name.
pub(super) trait ParameterSource {
    /// The parameter `name`, which must have `shape`.
    fn parameter(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError>;

    /// The weight of one or more linear maps of the same input, each a name and an output size, as
    /// one weight that gives their outputs side by side.
    fn weight(&self, maps: &[(String, usize)], input_size: usize) -> Result<Weight, ModelError>;

    /// The weight of a linear map that is a part of a stored matrix or stored the other way round.
    fn weight_of(&self, matrix: &StoredMatrix, input_size: usize) -> Result<Weight, ModelError>;

    /// The weight of one linear map out of the tensor `name`, which stacks those of many.
    fn stacked_weight(&self, name: &str, map: StackedMap) -> Result<Weight, ModelError>;

    /// Where the parameters of a layer come from, which may be on another device.
    fn of_layer(&self, number: usize) -> &dyn ParameterSource;

    /// The layers are done; what follows is none of theirs.
    fn of_no_layer(&self) {}

    /// Whether there is a parameter `name`.
    fn contains(&self, name: &str) -> bool;

    /// Where parameters are.
    fn device(&self) -> &Device;

    /// The type of what is computed.
    fn dtype(&self) -> DType;
}

/// The open weight files of a checkpoint.
#[derive(Debug)]
pub(super) struct WeightFiles {
    files: Vec<WeightFile>,
    /// Tensor name to its place in `files`.
    places: BTreeMap<String, usize>,
    /// Changes that an adapter makes to tensors, by their names.
    low_rank: BTreeMap<String, LowRank>,
    /// The place of the adapter's file, which is the last.
    adapter: Option<usize>,
    /// How 8-bit floats are stored, if the config says.
    fp8: Option<Fp8Scheme>,
}

/// Tensors whose numbers are stored in the same type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoredType {
    /// The type, as safetensors names it: `F32`, `BF16`, …
    pub dtype: String,
    /// How many tensors.
    pub tensors: usize,
    /// What they take in the files.
    pub bytes: usize,
}

impl WeightFiles {
    /// The files, in the order of the index.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(WeightFile::path)
    }

    /// Opens the weight files of `folder` and checks their headers.
    pub(super) fn open(folder: &Path) -> Result<Self, ModelError> {
        let index = folder.join(INDEX_FILE);
        let single = folder.join(SINGLE_FILE);
        if single.exists() {
            Self::from_files(vec![WeightFile::open(&single)?], &single)
        } else if index.exists() {
            Self::open_sharded(folder, &index)
        } else {
            Err(foreign_weights(folder).unwrap_or_else(|| ModelError::Weights {
                path: folder.to_owned(),
                problem: format!(
                    "holds neither {SINGLE_FILE} nor {INDEX_FILE}; weights in other formats \
                     must be converted with transformers' `save_pretrained`"
                ),
            }))
        }
    }

    /// The tensors of a model's GGUF files.
    pub(super) fn from_gguf(files: GgufFiles) -> Result<Self, ModelError> {
        let path = files.path().to_owned();
        Self::from_files(files.into_files().map(WeightFile::from).collect(), &path)
    }

    /// The same, with what the config says of 8-bit floats.
    pub(super) fn with_fp8(self, fp8: Option<Fp8Scheme>) -> Self {
        Self { fp8, ..self }
    }

    /// Whether the config speaks of 8-bit floats.
    pub(super) fn has_fp8(&self) -> bool {
        self.fp8.is_some()
    }

    fn open_sharded(folder: &Path, index: &Path) -> Result<Self, ModelError> {
        let damaged = |problem: String| ModelError::Weights { path: index.to_owned(), problem };
        let content = json::read(index)?;
        let Some(map) = content.get("weight_map").and_then(Value::as_object) else {
            return Err(damaged("`weight_map` is missing".to_owned()));
        };
        let mut shards = BTreeSet::new();
        for (tensor, shard) in map {
            match shard.as_str() {
                // A shard lies beside its index; a path would lead out of the checkpoint.
                Some(shard) if !shard.contains(['/', '\\']) => shards.insert(shard),
                _ => return Err(damaged(format!("`{tensor}` has no valid file name: {shard}"))),
            };
        }
        let files = shards
            .iter()
            .map(|shard| WeightFile::open(&folder.join(shard)))
            .collect::<Result<Vec<_>, _>>()?;
        let weights = Self::from_files(files, index)?;
        for (tensor, shard) in map {
            let place = weights.places.get(tensor).map(|&place| weights.files[place].path());
            let promised = shard.as_str().map(|shard| folder.join(shard));
            if place != promised.as_deref() {
                return Err(damaged(format!("`{tensor}` is not in {shard}")));
            }
        }
        Ok(weights)
    }

    fn from_files(files: Vec<WeightFile>, path: &Path) -> Result<Self, ModelError> {
        let mut places = BTreeMap::new();
        for (place, file) in files.iter().enumerate() {
            for name in file.tensors.keys() {
                if places.insert(name.clone(), place).is_some() {
                    return Err(ModelError::Weights {
                        path: path.to_owned(),
                        problem: format!("tensor `{name}` is in two files"),
                    });
                }
            }
        }
        Ok(Self { files, places, low_rank: BTreeMap::new(), adapter: None, fp8: None })
    }

    /// Lets an adapter change the tensors: those of `whole`, with their names in `file`, take the place
    /// of the ones stored here, and those of `low_rank` are changed when they are read.
    pub(super) fn adapt(
        &mut self,
        mut file: WeightFile,
        whole: BTreeMap<String, String>,
        low_rank: BTreeMap<String, LowRank>,
    ) {
        let place = self.files.len();
        for (name, own) in whole {
            if let Some(info) = file.tensors.remove(&own) {
                file.tensors.insert(name.clone(), info);
                self.places.insert(name, place);
            }
        }
        self.files.push(file);
        self.low_rank = low_rank;
        self.adapter = Some(place);
    }

    /// Whether an adapter changes or replaces the tensor stored as `name`.
    pub(super) fn is_adapted(&self, name: &str) -> bool {
        self.low_rank.contains_key(name)
            || self.adapter.is_some() && self.places.get(name).copied() == self.adapter
    }

    /// The change of low rank to a tensor, with the file that holds its parts.
    fn low_rank(&self, name: &str) -> Option<(&LowRank, &WeightFile)> {
        let (stored, _) = self.place(name)?;
        Some((self.low_rank.get(stored)?, self.files.get(self.adapter?)?))
    }

    /// Whether there are blocks of quantised numbers.
    pub(super) fn has_blocks(&self) -> bool {
        let mut tensors = self.files.iter().flat_map(|file| file.tensors.values());
        tensors.any(file::StoredTensor::is_in_blocks)
    }

    /// The type that most numbers are stored in; none for blocks of quantised ones.
    pub(super) fn dtype(&self) -> Option<DType> {
        match self.stored_types().first()?.dtype.as_str() {
            "F32" => Some(DType::F32),
            "F16" => Some(DType::F16),
            "BF16" => Some(DType::BF16),
            _ => None,
        }
    }

    /// What the tensors take in the files, by the type of their numbers.
    pub(super) fn stored_types(&self) -> Vec<StoredType> {
        let mut types: Vec<StoredType> = Vec::new();
        for tensor in self.files.iter().flat_map(|file| file.tensors.values()) {
            let (dtype, bytes) = (tensor.type_name(), tensor.bytes.len());
            match types.iter_mut().find(|known| known.dtype == dtype) {
                Some(known) => {
                    known.tensors += 1;
                    known.bytes += bytes;
                }
                None => types.push(StoredType { dtype, tensors: 1, bytes }),
            }
        }
        types.sort_by_key(|stored| Reverse(stored.bytes));
        types
    }

    /// The name under which a tensor is stored.
    pub(super) fn stored_name(&self, name: &str) -> Option<&str> {
        self.place(name).map(|(stored, _)| stored)
    }

    /// The shape of the tensor stored as `name`; empty if there is none.
    pub(super) fn shape(&self, name: &str) -> &[usize] {
        self.place(name).and_then(|(stored, file)| file.shape(stored)).unwrap_or_default()
    }

    /// The name under which a tensor is stored, with its file.
    fn place(&self, name: &str) -> Option<(&str, &WeightFile)> {
        let (stored, &place) =
            spellings(name).find_map(|spelling| self.places.get_key_value(&*spelling))?;
        Some((stored, self.files.get(place)?))
    }

    /// Whether two tensors are both stored, with other numbers. Only these two are read, and no further
    /// than to the first difference.
    pub(super) fn differ(&self, one: &str, other: &str) -> Result<bool, ModelError> {
        let read = |name| {
            let Some((stored, file)) = self.place(name) else { return Ok(None) };
            let tensor = file.tensor(stored)?;
            Ok::<_, ModelError>(Some((tensor.type_name(), file.bytes(tensor))))
        };
        match (read(one)?, read(other)?) {
            (Some((one_type, one)), Some((other_type, other))) => {
                Ok(one_type != other_type || one.differs(&other)?)
            }
            _ => Ok(false),
        }
    }

    /// Whether a tensor is there.
    fn contains(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// The file and place of a tensor that must have `shape`.
    fn find(
        &self,
        name: &str,
        shape: &[usize],
    ) -> Result<(&WeightFile, &StoredTensor), ModelError> {
        let found = self
            .place(name)
            .and_then(|(stored, file)| file.tensors.get(stored).map(|info| (file, info)));
        let Some((file, info)) = found else {
            return Err(ModelError::Weights {
                path: self.files.first().map_or_else(PathBuf::new, |file| file.path().to_owned()),
                problem: format!("tensor `{name}` is missing"),
            });
        };
        if info.shape != shape {
            return Err(ModelError::Shape {
                path: file.path().to_owned(),
                tensor: name.to_owned(),
                expected: shape.to_vec(),
                found: info.shape.clone(),
            });
        }
        Ok((file, info))
    }
}
