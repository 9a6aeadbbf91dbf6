//! Files that somebody else named: opened only if they are regular files, read only up to a size.
//!
//! A path in a config, or a name in a checkpoint that was downloaded, may lead to a named pipe, which keeps
//! whoever opens it waiting for ever, to a device, which never ends, or to a folder. So a path is looked at
//! before it is opened. Settings also have a size beyond which they are no settings. Data have none.
//!
//! Configs in Python and `--messages` are not read through here: whoever types them may mean a pipe.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it opens files for the rooms that may read them"
)]

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

/// Most bytes of a file of settings: `config.json`, an index of shards, a chat template.
pub const MOST_SETTINGS_BYTES: u64 = 64 << 20;

/// Most bytes of a tokenizer's own file; the largest that is known has 35 MB.
pub const MOST_TOKENIZER_BYTES: u64 = 256 << 20;

/// Opens a file that must be a regular one, or a link to one.
///
/// # Errors
/// As [`File::open`], and [`io::ErrorKind::InvalidInput`] for anything that is not a regular file; such a
/// thing is not opened.
pub fn open(path: &Path) -> io::Result<File> {
    check(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    // What lay there may have changed.
    check(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of any size.
///
/// # Errors
/// As [`open`].
pub fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a regular file of at most `most_bytes`.
///
/// # Errors
/// As [`open`], and [`io::ErrorKind::FileTooLarge`] for a longer one, of which no more than that is read.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let promised_bytes = file.metadata()?.len();
    let mut bytes = Vec::new();
    if promised_bytes <= most_bytes {
        bytes.reserve_exact(promised_bytes as usize);
        // One more, to see whether the file grew, or is of a kind that promises nothing.
        file.take(most_bytes + 1).read_to_end(&mut bytes)?;
    }
    let found_bytes = promised_bytes.max(bytes.len() as u64);
    if found_bytes > most_bytes {
        let problem = format!(
            "it has more than {} MB, the most that is read of such a file; it is not what its name says",
            most_bytes >> 20
        );
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// Reads a regular file of at most `most_bytes` as text.
///
/// # Errors
/// As [`read`], and [`io::ErrorKind::InvalidData`] for a file that is not UTF-8.
pub fn read_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    String::from_utf8(read(path, most_bytes)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Refuses what is no regular file, by the name of what it is.
fn check(found: &fs::Metadata) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let kind = kind(found.file_type());
    let problem = format!("it is {kind}, and only regular files are read");
    Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
}

#[cfg(unix)]
fn kind(found: fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    if found.is_dir() {
        "a folder"
    } else if found.is_fifo() {
        "a named pipe"
    } else if found.is_socket() {
        "a socket"
    } else if found.is_char_device() || found.is_block_device() {
        "a device"
    } else {
        "something else"
    }
}

#[cfg(not(unix))]
fn kind(found: fs::FileType) -> &'static str {
    if found.is_dir() { "a folder" } else { "a device" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        fs::write(&path, vec![b' '; 100]).unwrap();
        assert_eq!(read(&path, 100).unwrap().len(), 100);
        assert_eq!(read(&path, 99).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read(&folder.path().join("no"), 9).unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_text(&path, 9).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_regular_file_is_refused_by_its_kind_without_being_opened() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let socket = folder.path().join("socket");
        let _held = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for (path, kind) in [
            (pipe.as_path(), "a named pipe"),
            (link.as_path(), "a device"),
            (socket.as_path(), "a socket"),
            (folder.path(), "a folder"),
        ] {
            let refusal = open(path).unwrap_err().to_string();
            assert!(refusal.contains(kind), "{refusal}");
            assert_eq!(read(path, 9).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
        // Promises no bytes and has some.
        assert!(!read(Path::new("/proc/self/status"), 1 << 20).unwrap().is_empty());
        assert!(read(Path::new("/proc/self/status"), 3).is_err());
    }
}
