//! What was unpacked moves to its place, beside what is there.
//!
//! A folder that is nowhere moves as a whole; one that is there takes what it lacks. A file that is there stays, for
//! somebody may have changed it on purpose; if it says something else, that is told. A move that was stopped is taken up.

use std::{
    ffi::OsString,
    fs,
    io::{self, Read},
    path::Path,
};

use super::{ArchiveError, rename};

/// Bytes that are compared at once.
const CHUNK_BYTES: usize = 128 * 1024;

/// Moves what a folder holds into another; the files that lay there with other content, and stay.
pub(super) fn move_in(from: &Path, into: &Path) -> Result<Vec<String>, ArchiveError> {
    let mut kept = Vec::new();
    move_folder(from, into, &mut kept)?;
    Ok(kept)
}

fn move_folder(from: &Path, into: &Path, kept: &mut Vec<String>) -> Result<(), ArchiveError> {
    for name in names(from).map_err(ArchiveError::disk("read", from))? {
        let (own, place) = (from.join(&name), into.join(&name));
        if fs::symlink_metadata(&place).is_err() {
            rename(&own, &place)?;
        } else if own.is_dir() && place.is_dir() {
            move_folder(&own, &place, kept)?;
        } else {
            let compare = ArchiveError::disk("read", &place);
            if !(own.is_file() && place.is_file() && is_same(&own, &place).map_err(compare)?) {
                kept.push(place.display().to_string());
            }
            let gone = if own.is_dir() { fs::remove_dir_all(&own) } else { fs::remove_file(&own) };
            gone.map_err(ArchiveError::disk("delete", &own))?;
        }
    }
    fs::remove_dir(from).map_err(ArchiveError::disk("delete", from))
}

fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    let mut names = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<Result<Vec<_>, _>>()?;
    names.sort_unstable();
    Ok(names)
}

/// Whether two files hold the same bytes.
fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (fs::File::open(one)?, fs::File::open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut own, mut its) = (Vec::new(), Vec::new());
    loop {
        own.clear();
        its.clear();
        one.by_ref().take(CHUNK_BYTES as u64).read_to_end(&mut own)?;
        other.by_ref().take(CHUNK_BYTES as u64).read_to_end(&mut its)?;
        if own != its {
            return Ok(false);
        }
        if own.is_empty() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    #[test]
    fn what_lies_there_stays_and_is_told_if_it_says_something_else() {
        let folder = tempfile::tempdir().unwrap();
        let (from, into) = (folder.path().join("from"), folder.path().join("into"));
        write(
            &from,
            &[("a/new", "1"), ("a/same", "2"), ("a/other", "3"), ("b/c/d", "4"), ("e/f", "5")],
        );
        write(&into, &[("a/same", "2"), ("a/other", "mine"), ("e", "a file")]);
        let kept = move_in(&from, &into).unwrap();
        let expected = ["a/other", "e"].map(|name| into.join(name).display().to_string());
        assert_eq!(kept, expected);
        for (name, text) in
            [("a/new", "1"), ("a/same", "2"), ("a/other", "mine"), ("b/c/d", "4"), ("e", "a file")]
        {
            assert_eq!(fs::read_to_string(into.join(name)).unwrap(), text, "{name}");
        }
        assert!(!from.exists());
    }
}
