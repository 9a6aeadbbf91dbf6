//! What an archive says is in it, looked at before anything is written.
//!
//! Names that lead outside, links and sizes that cannot be are refused: an archive is somebody else's.

use std::{
    collections::BTreeSet,
    io::{Read, Seek},
    path::PathBuf,
};

use zip::{CompressionMethod, ZipArchive};

/// Most bytes that a byte of deflate can become.
const MOST_DEFLATED: u64 = 1032;

/// The bits of a mode that say what a thing is, and those of a file and a folder.
const KIND: u32 = 0o170_000;
const KINDS_TAKEN: [u32; 3] = [0, 0o100_000, 0o040_000];

/// What macOS adds beside the files.
const RESOURCE_FORKS: &str = "__MACOSX";

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// As it is.
    Stored,
    /// By deflate.
    Deflated,
}

/// A file or folder of an archive.
pub(super) struct Entry {
    /// Its number in the archive.
    pub(super) index: usize,
    /// Below the folder that the archive is unpacked into.
    pub(super) path: PathBuf,
    pub(super) is_folder: bool,
    pub(super) packing: Packing,
    /// Unpacked.
    pub(super) bytes: u64,
    pub(super) crc32: u32,
}

/// Everything in an archive of so many bytes, or why it is not unpacked.
pub(super) fn entries<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    archive_bytes: u64,
) -> Result<Vec<Entry>, String> {
    let (mut entries, mut names, mut packed_bytes) = (Vec::new(), BTreeSet::new(), 0_u64);
    for index in 0..archive.len() {
        let found = archive.by_index_raw(index).map_err(|error| error.to_string())?;
        let name = found.name().map_err(|error| error.to_string())?.into_owned();
        let Some(path) = path(&name)? else { continue };
        let refused = |why: &str| Err(format!("it holds {name:?}, {why}"));
        let kind = found.unix_mode().unwrap_or_default() & KIND;
        if found.is_symlink() || !KINDS_TAKEN.contains(&kind) {
            return refused("which is neither a file nor a folder, and is refused");
        }
        if found.encrypted() {
            return refused("which is encrypted");
        }
        let is_folder = found.is_dir();
        if !names.insert(path.clone()) {
            if is_folder {
                continue;
            }
            return refused("a second time");
        }
        let (packed, bytes) = (found.compressed_size(), found.size());
        let (packing, most_bytes) = match found.compression() {
            CompressionMethod::Stored => (Packing::Stored, packed),
            CompressionMethod::DEFLATE => (Packing::Deflated, packed.saturating_mul(MOST_DEFLATED)),
            other => return refused(&format!("packed by {other}, which is not read")),
        };
        packed_bytes = packed_bytes.saturating_add(packed);
        if bytes > most_bytes || packed_bytes > archive_bytes {
            return refused("whose size cannot be what its header says");
        }
        entries.push(Entry { index, path, is_folder, packing, bytes, crc32: found.crc32() });
    }
    Ok(entries)
}

/// The path that a name stands for; nothing for what is left out.
fn path(name: &str) -> Result<Option<PathBuf>, String> {
    let outside = || Err(format!("it holds {name:?}, which leads outside of the folder of data"));
    if name.starts_with('/') {
        return outside();
    }
    let mut path = PathBuf::new();
    for part in name.split('/').filter(|part| !part.is_empty() && *part != ".") {
        // Strokes and colons have a meaning in paths of one system only.
        let is_odd = part.contains('\0') || cfg!(windows) && part.contains(['\\', ':']);
        if part == ".." || is_odd {
            return outside();
        }
        if path.as_os_str().is_empty() && part == RESOURCE_FORKS {
            return Ok(None);
        }
        path.push(part);
    }
    Ok((!path.as_os_str().is_empty()).then_some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_below_or_are_refused() {
        for (name, expected) in [
            ("mmlu/dev/a.csv", Ok(Some("mmlu/dev/a.csv"))),
            ("./mmlu//a.csv", Ok(Some("mmlu/a.csv"))),
            ("mmlu/", Ok(Some("mmlu"))),
            ("./", Ok(None)),
            ("__MACOSX/mmlu/._a.csv", Ok(None)),
            ("mmlu/..", Err(())),
            ("../a", Err(())),
            ("mmlu/../../a", Err(())),
            ("/etc/passwd", Err(())),
            ("a\0b", Err(())),
        ] {
            let expected = expected.map(|path| path.map(PathBuf::from));
            assert_eq!(path(name).map_err(|_| ()), expected, "{name}");
        }
    }
}
