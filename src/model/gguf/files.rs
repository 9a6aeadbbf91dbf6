//! The files of a model: one, or several that it was split into.

use std::path::{Path, PathBuf};

use super::file::GgufFile;
use super::metadata::Metadata;
use super::tensor::GgufTensor;
use crate::model::error::ModelError;

/// The open files of a model. The first holds the metadata.
#[derive(Debug)]
pub struct GgufFiles {
    first: GgufFile,
    others: Vec<GgufFile>,
}

impl GgufFiles {
    /// Opens a file and all others that its model was split into; `path` is that of the first.
    ///
    /// # Errors
    /// As [`GgufFile::open`], and where a file is missing or not the one its name says.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let first = GgufFile::open(path)?;
        let count = first.metadata().optional("split.count")?.unwrap_or(1u32);
        if count > 1 {
            check_place(&first, 0, count)?;
        }
        let mut others = Vec::new();
        for number in 1..count {
            let path = split_path(path, number, count).ok_or_else(|| ModelError::Weights {
                path: path.to_owned(),
                problem: format!(
                    "is the first of {count} files, whose names must end in -00001-of-{count:05}.gguf \
                     and so on"
                ),
            })?;
            let file = GgufFile::open(&path)?;
            check_place(&file, number, count)?;
            others.push(file);
        }
        Ok(Self { first, others })
    }

    /// Where the first is.
    pub fn path(&self) -> &Path {
        self.first.path()
    }

    /// What the model says about itself.
    pub fn metadata(&self) -> &Metadata {
        self.first.metadata()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &GgufFile> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// A tensor by its name, and the file it is in.
    pub fn tensor(&self, name: &str) -> Option<(&GgufFile, &GgufTensor)> {
        self.iter().find_map(|file| Some((file, file.tensors().get(name)?)))
    }

    /// Each by itself, in order.
    pub(in crate::model) fn into_files(self) -> impl Iterator<Item = GgufFile> {
        std::iter::once(self.first).chain(self.others)
    }
}

/// Refuses a file that is not number `number`, from zero, of `count`.
fn check_place(file: &GgufFile, number: u32, count: u32) -> Result<(), ModelError> {
    for (key, expected) in [("split.no", number), ("split.count", count)] {
        if file.metadata().required::<u32>(key)? != expected {
            let what = format!("{expected}; give the path of the first of the files");
            return Err(file.metadata().expected(key, &what));
        }
    }
    Ok(())
}

/// The path of another part of a split model; `None` if that of the first does not end as it must.
fn split_path(first: &Path, number: u32, count: u32) -> Option<PathBuf> {
    let name = first.file_name()?.to_str()?;
    let stem = name.strip_suffix(&format!("-00001-of-{count:05}.gguf"))?;
    Some(first.with_file_name(format!("{stem}-{:05}-of-{count:05}.gguf", number + 1)))
}

#[cfg(test)]
mod tests {
    use candle_core::quantized::gguf_file::{self, Value as Written};
    use candle_core::quantized::{GgmlDType, QTensor};
    use candle_core::{DType, Device, Tensor};

    use super::*;

    #[test]
    fn a_split_model_is_read_from_its_first_file() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, number: u16| {
            let numbers = Tensor::zeros((1, 32), DType::F32, &Device::Cpu).unwrap();
            let tensor = QTensor::quantize(&numbers, GgmlDType::F32).unwrap();
            let (no, count) = (Written::U16(number), Written::U16(2));
            let path = folder.path().join(name);
            let mut file = std::fs::File::create(&path).unwrap();
            let metadata = [("split.no", &no), ("split.count", &count)];
            gguf_file::write(&mut file, &metadata, &[(name, &tensor)]).unwrap();
            path
        };
        let first = write("m-00001-of-00002.gguf", 0);
        let open = |path: &Path| GgufFiles::open(path).map_err(|error| error.to_string());
        assert!(open(&first).unwrap_err().contains("m-00002-of-00002.gguf"));
        let second = write("m-00002-of-00002.gguf", 1);
        assert_eq!(open(&first).unwrap().iter().count(), 2);
        assert!(open(&second).unwrap_err().contains("first of"));
        assert!(open(&write("m-00002-of-00002.gguf", 0)).is_err());
    }
}
