//! A file that is one text and has no rows.

use std::{io, path::Path};

use crate::regular_file;

/// All of a file, as text. One that is not UTF-8 is an error of the kind `InvalidData`.
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = regular_file::read_whole(path)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
