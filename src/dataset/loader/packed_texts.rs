//! Texts in a zip archive that is read where it lies.
//!
//! Files are found by their names there. Archives that say nothing of how names are written mostly write them in UTF-8,
//! and macOS writes accents apart, so that a name is also found in its other forms.

use std::{
    collections::HashMap,
    io::{self, Cursor, Read},
    path::{Path, PathBuf},
};

use flate2::{Crc, read::DeflateDecoder};
use unicode_normalization::UnicodeNormalization as _;
use zip::{CompressionMethod, ZipArchive};

use super::{
    file::malformed,
    row::{Flaw, Made},
};
use crate::{dataset::DatasetError, regular_file};

/// The longest text that is unpacked.
const MOST_BYTES: u64 = 256 << 20;

/// An open archive.
pub(super) struct PackedTexts {
    path: PathBuf,
    archive: ZipArchive<Cursor<Vec<u8>>>,
    /// Numbers by name.
    names: HashMap<String, usize>,
    /// Numbers by name, accents put together.
    composed: HashMap<String, usize>,
}

fn composed(name: &str) -> String {
    name.nfc().collect()
}

impl PackedTexts {
    /// Reads what an archive says is in it.
    pub(super) fn open(path: &Path) -> Result<Self, DatasetError> {
        let unreadable =
            |source: io::Error| DatasetError::Unreadable { path: path.to_owned(), source };
        let bytes = regular_file::read_whole(path).map_err(unreadable)?;
        let mut archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| unreadable(io::Error::from(error)))?;
        let (mut names, mut others) = (HashMap::new(), HashMap::new());
        for index in 0..archive.len() {
            let packed =
                archive.by_index_raw(index).map_err(|error| unreadable(io::Error::from(error)))?;
            let name = packed.name().map_err(|error| unreadable(io::Error::from(error)))?;
            let written = std::str::from_utf8(packed.name_raw()).unwrap_or(&name);
            others.insert(composed(written), index);
            names.insert(name.into_owned(), index);
        }
        Ok(Self { path: path.to_owned(), archive, names, composed: others })
    }

    /// The text of a file.
    pub(super) fn text(&mut self, name: &str) -> Result<String, DatasetError> {
        let found = self.names.get(name).or_else(|| self.composed.get(&composed(name))).copied();
        let text = match found {
            Some(index) => self.unpacked(index),
            None => Flaw::new("the archive has no such file"),
        };
        text.map_err(|flaw| malformed(&format!("{}, {name}", self.path.display()), flaw))
    }

    fn unpacked(&mut self, index: usize) -> Made<String> {
        let packed = self.archive.by_index_raw(index).map_err(|error| Flaw(error.to_string()))?;
        let sum = packed.crc32();
        match packed.compression() {
            CompressionMethod::Stored => checked(packed, sum),
            CompressionMethod::DEFLATE => checked(DeflateDecoder::new(packed), sum),
            other => Flaw::new(format!("it is packed by {other}, which is not read")),
        }
    }
}

/// A text that is what its checksum says.
fn checked(from: impl Read, sum: u32) -> Made<String> {
    let mut bytes = Vec::new();
    from.take(MOST_BYTES).read_to_end(&mut bytes).map_err(|error| Flaw(error.to_string()))?;
    let mut crc = Crc::new();
    crc.update(&bytes);
    if crc.sum() != sum {
        return Flaw::new("its checksum is another; get the archive again");
    }
    String::from_utf8(bytes).map_err(|_| Flaw("this is not UTF-8".to_owned()))
}
