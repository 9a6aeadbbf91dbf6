//! One file, with everything checked but the numbers.

use std::collections::BTreeMap;
use std::path::Path;

use super::cursor::{Cursor, Damage};
use super::metadata::Metadata;
use super::tensor::{GgufTensor, TensorEntry};
use crate::model::error::ModelError;
use crate::model::stored_file::StoredFile;

/// The first bytes of every file.
const MAGIC: [u8; 4] = *b"GGUF";
/// Where the numbers of tensors begin, unless metadata says otherwise: at multiples of this.
const ALIGNMENT_BYTES: usize = 32;

/// Bytes that are read of a file at first, and after that four times as many each time they do not
/// suffice.
const FIRST_BYTES: usize = 1 << 20;
/// Most bytes before the numbers of tensors. The largest vocabularies that are known take 20 MB.
const MOST_HEADER_BYTES: usize = 128 << 20;

/// One open file.
#[derive(Debug)]
pub struct GgufFile {
    file: StoredFile,
    metadata: Metadata,
    tensors: BTreeMap<String, GgufTensor>,
}

impl GgufFile {
    /// Opens a file and checks its header, metadata and list of tensors.
    ///
    /// # Errors
    /// Where the file cannot be read, is damaged (with the byte and what was being read there), or
    /// holds numbers in a format that cannot be computed with.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let file = StoredFile::open(path)?;
        let damaged = |problem: String| ModelError::Weights { path: path.to_owned(), problem };
        let mut wanted_bytes = FIRST_BYTES;
        loop {
            let bytes = file.range(0..wanted_bytes.min(file.bytes()))?;
            let mut cursor = Cursor::new(&bytes, file.bytes());
            match read_header(path, &mut cursor) {
                Ok((metadata, entries)) => {
                    let alignment = alignment(&metadata)?;
                    let tensors = place(path, &cursor, file.bytes(), alignment, entries)?;
                    return Ok(Self { file, metadata, tensors });
                }
                Err(damage) if !damage.is_unread() => return Err(damaged(damage.to_string())),
                Err(_) if wanted_bytes >= MOST_HEADER_BYTES => {
                    return Err(damaged(format!(
                        "its metadata and list of tensors take more than {} MB, the most that is read",
                        MOST_HEADER_BYTES >> 20
                    )));
                }
                Err(_) => wanted_bytes = (wanted_bytes * 4).min(MOST_HEADER_BYTES),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// What it says about itself.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Its tensors, by name.
    pub fn tensors(&self) -> &BTreeMap<String, GgufTensor> {
        &self.tensors
    }

    /// The open file and its tensors, each by itself.
    pub(in crate::model) fn into_parts(self) -> (StoredFile, BTreeMap<String, GgufTensor>) {
        (self.file, self.tensors)
    }

    /// Reads the bytes of one of its tensors.
    pub fn bytes(&self, tensor: &GgufTensor) -> Result<Vec<u8>, ModelError> {
        self.file.range(tensor.bytes.clone())
    }
}

fn read_header(
    path: &Path,
    cursor: &mut Cursor<'_>,
) -> Result<(Metadata, Vec<(usize, TensorEntry)>), Damage> {
    let start = cursor.clone();
    if cursor.array()? != MAGIC {
        return Err(start.damage("not a GGUF file: it does not begin with GGUF"));
    }
    let before = cursor.clone();
    match cursor.u32()? {
        2 | 3 => {}
        version if matches!(version.swap_bytes(), 1..=3) => {
            return Err(before.damage("a big-endian file; convert it to little-endian"));
        }
        version => {
            return Err(before.damage(format!(
                "version {version} of the format, where 2 and 3 are read; convert the model again"
            )));
        }
    }
    let tensors = TensorEntry::read_count(cursor)?;
    let entries = Metadata::read_count(cursor)?;
    let metadata = Metadata::read(path, cursor, entries)?;
    let mut entries = Vec::new();
    for number in 1..=tensors {
        entries.push((cursor.place(), TensorEntry::read(cursor, number)?));
    }
    Ok((metadata, entries))
}

fn alignment(metadata: &Metadata) -> Result<usize, ModelError> {
    let key = "general.alignment";
    match metadata.optional::<u32>(key)? {
        None => Ok(ALIGNMENT_BYTES),
        Some(bytes) if bytes.is_multiple_of(8) && bytes.is_power_of_two() => Ok(bytes as usize),
        Some(_) => Err(metadata.expected(key, "a power of two from 8")),
    }
}

/// Finds where each tensor's numbers are. Tensors follow one another without gaps, so that a damaged
/// place cannot pass for another.
fn place(
    path: &Path,
    cursor: &Cursor<'_>,
    file_bytes: usize,
    alignment: usize,
    entries: Vec<(usize, TensorEntry)>,
) -> Result<BTreeMap<String, GgufTensor>, ModelError> {
    let data_start = cursor.place().next_multiple_of(alignment);
    let mut expected_bytes = 0;
    let mut tensors = BTreeMap::new();
    for (place, entry) in entries {
        let TensorEntry { name, shape, format, size_bytes, offset_bytes } = entry;
        let dtype = format.map_err(|format| ModelError::Unsupported {
            path: path.to_owned(),
            what: format!("tensor `{name}` of type {format}"),
        })?;
        let damaged = |problem: String| ModelError::Weights {
            path: path.to_owned(),
            problem: format!(
                "damaged or incomplete at byte {place}, in the entry of tensor `{name}`: {problem}"
            ),
        };
        if offset_bytes != expected_bytes as u64 {
            return Err(damaged(format!(
                "its numbers should begin {expected_bytes} bytes after the first tensor's, found \
                 {offset_bytes}"
            )));
        }
        let bytes = data_start
            .checked_add(expected_bytes)
            .and_then(|start| Some(start..start.checked_add(size_bytes)?))
            .filter(|bytes| bytes.end <= file_bytes);
        let Some(bytes) = bytes else {
            return Err(damaged(format!(
                "its {size_bytes} bytes reach beyond the end of the file of {file_bytes}"
            )));
        };
        expected_bytes = (expected_bytes + size_bytes).next_multiple_of(alignment);
        let tensor = GgufTensor { dtype, shape, bytes };
        if tensors.insert(name.clone(), tensor).is_some() {
            return Err(damaged("it is there twice".to_owned()));
        }
    }
    Ok(tensors)
}

#[cfg(test)]
mod tests {
    use candle_core::quantized::gguf_file::{self, Value as Written};
    use candle_core::quantized::{GgmlDType, QTensor};
    use candle_core::{DType, Device, Tensor};

    use super::*;

    /// A small file with values of every type and two tensors.
    fn file() -> Vec<u8> {
        let texts = |texts: &[&str]| {
            Written::Array(texts.iter().map(|text| Written::String((*text).to_owned())).collect())
        };
        let metadata = [
            ("general.architecture", Written::String("llama".to_owned())),
            ("a.u8", Written::U8(200)),
            ("a.i16", Written::I16(-3)),
            ("a.u64", Written::U64(u64::MAX)),
            ("a.f32", Written::F32(0.5)),
            ("a.flag", Written::Bool(true)),
            ("a.texts", texts(&["x", "根"])),
            ("a.none", Written::Array(Vec::new())),
            ("a.lists", Written::Array(vec![texts(&["y"]), texts(&[])])),
            ("a.scores", Written::Array(vec![Written::F32(1.0), Written::F32(-2.0)])),
        ];
        let numbers = Tensor::zeros((3, 32), DType::F32, &Device::Cpu).unwrap();
        let plain = QTensor::quantize(&numbers, GgmlDType::F32).unwrap();
        let blocks = QTensor::quantize(&numbers, GgmlDType::Q4_0).unwrap();
        let metadata: Vec<(&str, &Written)> =
            metadata.iter().map(|(key, value)| (*key, value)).collect();
        let mut bytes = std::io::Cursor::new(Vec::new());
        gguf_file::write(&mut bytes, &metadata, &[("plain", &plain), ("blocks", &blocks)]).unwrap();
        bytes.into_inner()
    }

    fn open(bytes: &[u8]) -> Result<GgufFile, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.gguf");
        std::fs::write(&path, bytes).unwrap();
        GgufFile::open(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn values_and_tensors_are_read_as_they_were_written() {
        let file = open(&file()).unwrap();
        let metadata = file.metadata();
        assert_eq!(metadata.required::<&str>("general.architecture").unwrap(), "llama");
        assert_eq!(metadata.required::<usize>("a.u8").unwrap(), 200);
        assert_eq!(metadata.required::<f64>("a.i16").unwrap().to_bits(), (-3f64).to_bits());
        assert_eq!(metadata.required::<f64>("a.f32").unwrap().to_bits(), 0.5f64.to_bits());
        assert!(metadata.required::<bool>("a.flag").unwrap());
        assert_eq!(metadata.required::<&[String]>("a.texts").unwrap(), ["x", "根"]);
        assert!(metadata.required::<&[String]>("a.none").unwrap().is_empty());
        assert_eq!(metadata.required::<&[f64]>("a.scores").unwrap(), [1.0, -2.0]);
        assert_eq!(metadata.optional::<&str>("a.absent").unwrap(), None);
        for (message, expected) in [
            (
                metadata.required::<u32>("a.u64").unwrap_err(),
                "`a.u64` should be a whole number of up to 32 bits, found 18446744073709551615",
            ),
            (
                metadata.required::<&str>("a.absent").unwrap_err(),
                "`a.absent` should be text, found nothing",
            ),
            (
                metadata.optional::<bool>("a.lists").unwrap_err(),
                "`a.lists` should be true or false, found a list of 2",
            ),
        ] {
            assert!(message.to_string().contains(expected), "{message}");
        }
        let shapes: Vec<_> = file
            .tensors()
            .iter()
            .map(|(name, tensor)| {
                (name.as_str(), tensor.shape.as_slice(), file.bytes(tensor).unwrap().len())
            })
            .collect();
        assert_eq!(shapes, [("blocks", [3, 32].as_slice(), 54), ("plain", &[3, 32], 384)]);
    }

    #[test]
    fn a_file_cut_anywhere_is_refused_and_says_where() {
        let whole = file();
        let used = {
            let file = open(&whole).unwrap();
            file.tensors().values().map(|tensor| tensor.bytes.end).max().unwrap()
        };
        for length in 0..used {
            let message = open(&whole[..length]).unwrap_err();
            assert!(
                message.contains("m.gguf: damaged or incomplete at byte"),
                "{length}: {message}"
            );
        }
        open(&whole[..used]).unwrap();
    }

    #[test]
    fn lengths_that_the_file_cannot_hold_are_refused() {
        let whole = file();
        let with = |place: usize, number: u64| {
            let mut bytes = whole.clone();
            bytes[place..place + 8].copy_from_slice(&number.to_le_bytes());
            open(&bytes).unwrap_err()
        };
        for number in [1 << 20, u64::from(u32::MAX), 1 << 62, u64::MAX] {
            for (place, what) in
                [(8, "tensors"), (16, "entries of metadata"), (24, "bytes of text")]
            {
                let message = with(place, number);
                assert!(message.contains(what), "{message}");
            }
        }
        for (from, to, expected) in [
            (&b"GGUF"[..], &b"GGUG"[..], "not a GGUF file"),
            (b"GGUF\x02", b"GGUF\x01", "version 1 of the format"),
            (b"GGUF\x02\0\0\0", b"GGUF\0\0\0\x03", "big-endian"),
            (
                b"a.flag\x07\0\0\0\x01",
                b"a.flag\x07\0\0\0\x02",
                "in the value of `a.flag`: 2 where true is 1",
            ),
            (b"a.flag\x07", b"a.flag\x0d", "no type of values 13"),
            (b"a.none", b"a.flag", "`a.flag` is there twice"),
            (b"blocks\x02", b"blocks\x05", "in the entry of tensor `blocks`: 5 dimensions"),
        ] {
            let at = whole.windows(from.len()).position(|part| part == from).unwrap();
            let bytes = [&whole[..at], to, &whole[at + from.len()..]].concat();
            let message = open(&bytes).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
