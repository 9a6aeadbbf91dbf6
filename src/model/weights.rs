//! Weights in safetensors files, mapped into memory.
//!
//! A checkpoint is one file or several with an index. Opening it maps the files and checks their
//! headers against their lengths; numbers are read only when a parameter is asked for. Both the
//! check of a checkpoint and its loading go through [`ParameterSource`], so they cannot disagree
//! about which tensors a decoder needs.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Tensor};
use memmap2::Mmap;
use safetensors::{SafeTensors, tensor::TensorInfo};
use serde_json::Value;

use super::error::ModelError;
use super::json;
use super::names::spellings;
use super::stacked_map::StackedMap;
use super::stored_matrix::{StoredMatrix, transposed};
use crate::ops::linear::{Weight, WeightPart};

const SINGLE_FILE: &str = "model.safetensors";
const INDEX_FILE: &str = "model.safetensors.index.json";
/// Bytes before a safetensors header: its length.
const HEADER_LENGTH_BYTES: usize = 8;

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

    /// Whether there is a parameter `name`.
    fn contains(&self, name: &str) -> bool;

    /// Where parameters are.
    fn device(&self) -> &Device;

    /// The type of what is computed.
    fn dtype(&self) -> DType;
}

/// The mapped weight files of a checkpoint.
#[derive(Debug)]
pub(super) struct WeightFiles {
    files: Vec<WeightFile>,
    /// Tensor name to its place in `files`.
    places: BTreeMap<String, usize>,
}

#[derive(Debug)]
struct WeightFile {
    path: PathBuf,
    map: Mmap,
    /// Tensor name to its type, shape and place.
    tensors: BTreeMap<String, TensorInfo>,
    /// Where the numbers begin.
    data_start: usize,
}

impl WeightFiles {
    /// The files, in the order of the index.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// Maps the weight files of `folder` and checks their headers.
    pub(super) fn open(folder: &Path) -> Result<Self, ModelError> {
        let index = folder.join(INDEX_FILE);
        let single = folder.join(SINGLE_FILE);
        if single.is_file() {
            Self::from_files(vec![WeightFile::open(single)?], &folder.join(SINGLE_FILE))
        } else if index.is_file() {
            Self::open_sharded(folder, &index)
        } else {
            Err(ModelError::Weights {
                path: folder.to_owned(),
                problem: format!(
                    "holds neither {SINGLE_FILE} nor {INDEX_FILE}; weights in other formats \
                     must be converted with transformers' `save_pretrained`"
                ),
            })
        }
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
            .map(|shard| WeightFile::open(folder.join(shard)))
            .collect::<Result<Vec<_>, _>>()?;
        let weights = Self::from_files(files, index)?;
        for (tensor, shard) in map {
            let place = weights.places.get(tensor).map(|&place| &weights.files[place].path);
            let promised = shard.as_str().map(|shard| folder.join(shard));
            if place != promised.as_ref() {
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
        Ok(Self { files, places })
    }

    /// The name under which a tensor is stored, with its file.
    fn place(&self, name: &str) -> Option<(&str, &WeightFile)> {
        let (stored, &place) =
            spellings(name).find_map(|spelling| self.places.get_key_value(&*spelling))?;
        Some((stored, self.files.get(place)?))
    }

    /// Whether a tensor is there.
    fn contains(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// The file and header entry of a tensor that must have `shape`.
    fn find(&self, name: &str, shape: &[usize]) -> Result<(&WeightFile, &TensorInfo), ModelError> {
        let found = self
            .place(name)
            .and_then(|(stored, file)| file.tensors.get(stored).map(|info| (file, info)));
        let Some((file, info)) = found else {
            return Err(ModelError::Weights {
                path: self.files.first().map_or_else(PathBuf::new, |file| file.path.clone()),
                problem: format!("tensor `{name}` is missing"),
            });
        };
        if info.shape != shape {
            return Err(ModelError::Shape {
                path: file.path.clone(),
                tensor: name.to_owned(),
                expected: shape.to_vec(),
                found: info.shape.clone(),
            });
        }
        Ok((file, info))
    }
}

impl WeightFile {
    // Reading through a map keeps a checkpoint's bytes in the page cache instead of in the process.
    #[expect(unsafe_code, reason = "mapping a file has no safe interface")]
    fn open(path: PathBuf) -> Result<Self, ModelError> {
        let file =
            File::open(&path).map_err(|source| ModelError::Io { path: path.clone(), source })?;
        // SAFETY: the map is only read, and never handed out beyond `&self`. Another process that
        // truncates or rewrites the file meanwhile would break this; checkpoints are not edited in
        // place, and every loader that maps them relies on that.
        let map = unsafe { Mmap::map(&file) }
            .map_err(|source| ModelError::Io { path: path.clone(), source })?;
        let (header_bytes, metadata) =
            SafeTensors::read_metadata(&map).map_err(|error| ModelError::Weights {
                path: path.clone(),
                problem: format!("damaged or incomplete: {error}"),
            })?;
        let tensors =
            metadata.tensors().into_iter().map(|(name, info)| (name, info.clone())).collect();
        Ok(Self { path, map, tensors, data_start: HEADER_LENGTH_BYTES + header_bytes })
    }
}

/// The type of a tensor's numbers, if they can be computed with.
fn dtype(file: &WeightFile, name: &str, info: &TensorInfo) -> Result<DType, ModelError> {
    match info.dtype {
        safetensors::Dtype::F32 => Ok(DType::F32),
        safetensors::Dtype::F16 => Ok(DType::F16),
        safetensors::Dtype::BF16 => Ok(DType::BF16),
        other => Err(ModelError::Unsupported {
            path: file.path.clone(),
            what: format!("tensor `{name}` of type {other:?}"),
        }),
    }
}

/// Reads parameters onto a device.
pub(super) struct Loader<'a> {
    /// Where they are read from.
    pub(super) files: &'a WeightFiles,
    /// Where they go.
    pub(super) device: &'a Device,
    /// What they are converted to; weights of linear maps on the CPU stay as they are stored.
    pub(super) dtype: DType,
}

impl Loader<'_> {
    /// A tensor's bytes and the type of its numbers.
    fn bytes(&self, name: &str, shape: &[usize]) -> Result<(&[u8], DType), ModelError> {
        let (file, info) = self.files.find(name, shape)?;
        let stored = dtype(file, name, info)?;
        let (start, end) = info.data_offsets;
        match file.map.get(file.data_start + start..file.data_start + end) {
            Some(bytes) => Ok((bytes, stored)),
            None => Err(ModelError::Weights {
                path: file.path.clone(),
                problem: format!("tensor `{name}` reaches beyond the end of the file"),
            }),
        }
    }
}

impl Loader<'_> {
    /// Takes a tensor's bytes out of the process: they are packed by now.
    #[cfg(unix)]
    #[expect(unsafe_code, reason = "the general call can also damage a private map")]
    fn release(&self, name: &str, shape: &[usize]) -> Result<(), ModelError> {
        let (file, info) = self.files.find(name, shape)?;
        let (start, end) = info.data_offsets;
        // SAFETY: the map is shared with the file and never written, so whatever is released is read
        // from the file again if it is needed.
        let released = unsafe {
            let advice = memmap2::UncheckedAdvice::DontNeed;
            file.map.unchecked_advise_range(advice, file.data_start + start, end - start)
        };
        released.map_err(|source| ModelError::Io { path: file.path.clone(), source })
    }

    #[cfg(not(unix))]
    fn release(&self, _: &str, _: &[usize]) -> Result<(), ModelError> {
        Ok(())
    }
}

impl ParameterSource for Loader<'_> {
    fn parameter(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        let (bytes, stored) = self.bytes(name, shape)?;
        let tensor = Tensor::from_raw_buffer(bytes, stored, shape, &Device::Cpu)?;
        Ok(tensor.to_dtype(self.dtype)?.to_device(self.device)?)
    }

    fn weight(&self, maps: &[(String, usize)], input_size: usize) -> Result<Weight, ModelError> {
        if self.device.is_cpu() {
            let parts = maps
                .iter()
                .map(|(name, rows)| {
                    let (bytes, dtype) = self.bytes(name, &[*rows, input_size])?;
                    Ok(WeightPart { bytes, dtype, rows: *rows })
                })
                .collect::<Result<Vec<_>, ModelError>>()?;
            let weight = Weight::pack(&parts, input_size)?;
            for (name, rows) in maps {
                self.release(name, &[*rows, input_size])?;
            }
            return Ok(weight);
        }
        let parts = maps
            .iter()
            .map(|(name, rows)| self.parameter(name, &[*rows, input_size]))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Weight::plain(Tensor::cat(&parts, 0)?)?)
    }

    fn weight_of(&self, matrix: &StoredMatrix, input_size: usize) -> Result<Weight, ModelError> {
        let shape = matrix.shape(input_size);
        if !self.device.is_cpu() {
            let stored = self.parameter(&matrix.weight_name(), &shape)?;
            let stored = if matrix.transposed { stored.t()? } else { stored };
            return Ok(Weight::plain(matrix.select(&stored)?)?);
        }
        let (bytes, dtype) = self.bytes(&matrix.weight_name(), &shape)?;
        let bytes = if matrix.transposed {
            transposed(bytes, matrix.stored_rows, dtype.size_in_bytes())
        } else {
            Cow::Borrowed(bytes)
        };
        let row_bytes = input_size * dtype.size_in_bytes();
        let parts: Vec<WeightPart<'_>> = matrix
            .rows
            .iter()
            .map(|rows| WeightPart {
                bytes: &bytes[rows.start * row_bytes..rows.end * row_bytes],
                dtype,
                rows: rows.len(),
            })
            .collect();
        let weight = Weight::pack(&parts, input_size)?;
        self.release(&matrix.weight_name(), &shape)?;
        Ok(weight)
    }

    fn stacked_weight(&self, name: &str, map: StackedMap) -> Result<Weight, ModelError> {
        let (bytes, dtype) = self.bytes(name, &map.shape())?;
        let (bytes, rows) = (map.cut(bytes, dtype.size_in_bytes()), map.count);
        if self.device.is_cpu() {
            let part = WeightPart { bytes: &bytes, dtype, rows };
            let weight = Weight::pack(&[part], map.input_size)?;
            self.release(name, &map.shape())?;
            return Ok(weight);
        }
        let shape = [rows, map.input_size];
        let tensor = Tensor::from_raw_buffer(&bytes, dtype, &shape, &Device::Cpu)?;
        Ok(Weight::plain(tensor.to_dtype(self.dtype)?.to_device(self.device)?)?)
    }

    fn contains(&self, name: &str) -> bool {
        self.files.contains(name)
    }

    fn device(&self) -> &Device {
        self.device
    }

    fn dtype(&self) -> DType {
        self.dtype
    }
}

/// Checks names, shapes and types without reading a number.
pub(super) struct HeaderCheck<'a> {
    files: &'a WeightFiles,
    asked: RefCell<BTreeSet<String>>,
    /// Of all that was asked for, once it is in host memory.
    bytes: Cell<usize>,
}

impl<'a> HeaderCheck<'a> {
    /// A check of `files` in which nothing was asked for yet.
    pub(super) fn new(files: &'a WeightFiles) -> Self {
        Self { files, asked: RefCell::default(), bytes: Cell::default() }
    }

    /// Host memory that all that was asked for takes: weights of linear maps as they are stored,
    /// everything else as f32.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.get()
    }

    /// Notes that a tensor is asked for; the type of its numbers.
    fn ask(&self, name: &str, shape: &[usize]) -> Result<DType, ModelError> {
        let (file, info) = self.files.find(name, shape)?;
        let stored = dtype(file, name, info)?;
        self.asked.borrow_mut().extend(self.files.place(name).map(|(stored, _)| stored.to_owned()));
        Ok(stored)
    }

    fn count(&self, numbers: usize, dtype: DType) {
        self.bytes.update(|bytes| bytes + numbers * dtype.size_in_bytes());
    }

    /// The first tensor that is stored but was never asked for: a sign that the checkpoint computes
    /// something the spec does not say.
    pub(super) fn unused(self, ignored: impl Fn(&str) -> bool) -> Option<(PathBuf, String)> {
        let asked = self.asked.into_inner();
        let (name, &place) =
            self.files.places.iter().find(|(name, _)| !asked.contains(*name) && !ignored(name))?;
        Some((self.files.files[place].path.clone(), name.clone()))
    }
}

impl ParameterSource for HeaderCheck<'_> {
    fn parameter(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        self.ask(name, shape)?;
        self.count(shape.iter().product(), DType::F32);
        // A single number seen as the whole tensor: the right shape without the memory.
        Ok(Tensor::zeros((), DType::F32, &Device::Cpu)?.broadcast_as(shape)?)
    }

    fn weight(&self, maps: &[(String, usize)], input_size: usize) -> Result<Weight, ModelError> {
        let mut stored = Vec::with_capacity(maps.len());
        for (name, rows) in maps {
            stored.push(self.ask(name, &[*rows, input_size])?);
        }
        // Maps of different types are joined as f32.
        let joined = match stored.split_first() {
            Some((first, rest)) if rest.iter().all(|dtype| dtype == first) => *first,
            _ => DType::F32,
        };
        let rows = maps.iter().map(|(_, rows)| rows).sum();
        self.count(rows * input_size, joined);
        placeholder(rows, input_size)
    }

    fn weight_of(&self, matrix: &StoredMatrix, input_size: usize) -> Result<Weight, ModelError> {
        let stored = self.ask(&matrix.weight_name(), &matrix.shape(input_size))?;
        let rows = matrix.rows.iter().map(ExactSizeIterator::len).sum();
        self.count(rows * input_size, stored);
        placeholder(rows, input_size)
    }

    fn stacked_weight(&self, name: &str, map: StackedMap) -> Result<Weight, ModelError> {
        let stored = self.ask(name, &map.shape())?;
        self.count(map.count * map.input_size, stored);
        placeholder(map.count, map.input_size)
    }

    fn contains(&self, name: &str) -> bool {
        self.files.contains(name)
    }

    fn device(&self) -> &Device {
        &Device::Cpu
    }

    fn dtype(&self) -> DType {
        DType::F32
    }
}

/// A weight of the right shape without its memory.
fn placeholder(output_size: usize, input_size: usize) -> Result<Weight, ModelError> {
    let zero = Tensor::zeros((), DType::F32, &Device::Cpu)?;
    Ok(Weight::plain(zero.broadcast_as((output_size, input_size))?)?)
}
