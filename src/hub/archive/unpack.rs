//! An archive becomes a folder, whole or not at all.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufReader, Read, Seek, Write as _},
    path::Path,
};

use flate2::{Crc, read::DeflateDecoder};
use zip::ZipArchive;

use super::{
    super::progress::DownloadProgress,
    ArchiveError,
    contents::{Entry, Packing, entries},
};
use crate::panic_guard::guarded;

/// Bytes that are unpacked at once.
const CHUNK_BYTES: usize = 128 * 1024;

/// Unpacks an archive into a folder that is made for it; what an earlier try left there goes.
pub(super) fn unpack(
    file: &Path,
    name: &str,
    into: &Path,
    progress: &dyn DownloadProgress,
) -> Result<(), ArchiveError> {
    remove(into)?;
    fs::create_dir(into).map_err(ArchiveError::disk("create the folder", into))?;
    let work = || Unpacking { name, into, progress }.all(file);
    let outcome = guarded(work).unwrap_or_else(|panic| {
        let problem = format!("it is no zip file that can be read: {panic}");
        Err(ArchiveError::Contents { name: name.to_owned(), problem })
    });
    if outcome.is_err() {
        // What went wrong says more than what may go wrong in tidying up.
        let _ = remove(into);
    }
    outcome
}

fn remove(folder: &Path) -> Result<(), ArchiveError> {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder).map_err(ArchiveError::disk("delete", folder))
}

struct Unpacking<'a> {
    name: &'a str,
    into: &'a Path,
    progress: &'a dyn DownloadProgress,
}

impl Unpacking<'_> {
    fn all(&self, file: &Path) -> Result<(), ArchiveError> {
        let read = || ArchiveError::disk("read", file);
        let opened = File::open(file).map_err(read())?;
        let archive_bytes = opened.metadata().map_err(read())?.len();
        let mut archive = ZipArchive::new(BufReader::new(opened)).map_err(|error| {
            self.refused(format!("it is no zip file that can be read: {error}"))
        })?;
        let entries =
            entries(&mut archive, archive_bytes).map_err(|problem| self.refused(problem))?;
        let total_bytes = entries.iter().map(|entry| entry.bytes).sum();
        self.progress.begin_file(&format!("unpacking {}", self.name), total_bytes, 0);
        let outcome = entries.iter().try_for_each(|entry| self.one(&mut archive, entry));
        self.progress.end_file();
        outcome
    }

    fn one<R: Read + Seek>(
        &self,
        archive: &mut ZipArchive<R>,
        entry: &Entry,
    ) -> Result<(), ArchiveError> {
        let place = self.into.join(&entry.path);
        let folder = if entry.is_folder { Some(&*place) } else { place.parent() };
        if let Some(folder) = folder {
            let make = ArchiveError::disk("create the folder", folder);
            fs::create_dir_all(folder).map_err(make)?;
        }
        if entry.is_folder {
            return Ok(());
        }
        let packed =
            archive.by_index_raw(entry.index).map_err(|error| self.damaged(entry, &error))?;
        match entry.packing {
            Packing::Stored => self.write(packed, entry, &place),
            Packing::Deflated => self.write(DeflateDecoder::new(packed), entry, &place),
        }
    }

    fn write(&self, mut from: impl Read, entry: &Entry, place: &Path) -> Result<(), ArchiveError> {
        let write = || ArchiveError::disk("write", place);
        let mut file =
            OpenOptions::new().write(true).create_new(true).open(place).map_err(write())?;
        let (mut crc, mut bytes, mut chunk) = (Crc::new(), 0, vec![0; CHUNK_BYTES]);
        loop {
            let count = match from.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.damaged(entry, &error)),
            };
            bytes += count as u64;
            if bytes > entry.bytes {
                return Err(self.damaged(entry, &"it is longer than its header says"));
            }
            let part = chunk.get(..count).unwrap_or_default();
            crc.update(part);
            file.write_all(part).map_err(write())?;
            self.progress.bytes(count as u64);
        }
        if bytes != entry.bytes || crc.sum() != entry.crc32 {
            return Err(
                self.damaged(entry, &"its length or checksum is another than its header says")
            );
        }
        file.sync_all().map_err(write())
    }

    fn damaged(&self, entry: &Entry, why: &dyn std::fmt::Display) -> ArchiveError {
        self.refused(format!("{} in it cannot be unpacked: {why}", entry.path.display()))
    }

    fn refused(&self, problem: String) -> ArchiveError {
        ArchiveError::Contents { name: self.name.to_owned(), problem }
    }
}
