//! The files of a copy of WordNet, in a folder or in an archive.

use std::{
    collections::HashMap,
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
};

use flate2::{Crc, read::DeflateDecoder};
use zip::{CompressionMethod, ZipArchive};

use super::WordNetError;
use crate::regular_file;

/// The longest file, that of the meanings of nouns, has 15 MB.
const MOST_BYTES: u64 = 256 << 20;

/// Where the files are.
pub(super) enum Source {
    /// A folder.
    Folder(PathBuf),
    /// An archive, of which every file of words is read.
    Archive { path: PathBuf, texts: HashMap<String, String> },
}

impl Source {
    /// A folder, or the archive that NLTK's downloader leaves.
    pub(super) fn open(path: &Path) -> Result<Self, WordNetError> {
        let path = path.to_owned();
        if path.extension().is_none_or(|extension| extension != "zip") {
            return Ok(Self::Folder(path));
        }
        match texts(&path) {
            Ok(texts) => Ok(Self::Archive { path, texts }),
            Err(source) => Err(WordNetError::Unreadable { path, source }),
        }
    }

    /// The text of a file.
    pub(super) fn text(&mut self, name: &str) -> Result<String, WordNetError> {
        let path = self.path(name);
        let text = match self {
            Self::Folder(_) => regular_file::read_text(&path, MOST_BYTES),
            Self::Archive { texts, .. } => {
                texts.remove(name).ok_or_else(|| io::ErrorKind::NotFound.into())
            }
        };
        text.map_err(|source| WordNetError::Unreadable { path, source })
    }

    /// What a file is called in messages.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        match self {
            Self::Folder(path) | Self::Archive { path, .. } => path.join(name),
        }
    }
}

/// The files of words of an archive.
fn texts(path: &Path) -> io::Result<HashMap<String, String>> {
    let mut archive = ZipArchive::new(BufReader::new(regular_file::open(path)?))?;
    let mut texts = HashMap::new();
    for index in 0..archive.len() {
        let packed = archive.by_index_raw(index)?;
        let name = packed.name()?.into_owned();
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        let starts = |start: &str| name.starts_with(start);
        let is_of_words = starts("index.") || starts("data.");
        if !is_of_words && Path::new(&name).extension().is_none_or(|kind| kind != "exc") {
            continue;
        }
        let (sum, packing) = (packed.crc32(), packed.compression());
        let text = match packing {
            CompressionMethod::Stored => checked(packed, sum)?,
            CompressionMethod::DEFLATE => checked(DeflateDecoder::new(packed), sum)?,
            other => {
                let what = format!("{name} is packed by {other}, which is not read");
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        };
        texts.insert(name, text);
    }
    Ok(texts)
}

/// A text that is what its checksum says.
fn checked(from: impl Read, sum: u32) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.take(MOST_BYTES).read_to_end(&mut bytes)?;
    let mut crc = Crc::new();
    crc.update(&bytes);
    if crc.sum() != sum {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "its checksum is another"));
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
