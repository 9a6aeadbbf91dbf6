//! A file that is one text and has no rows.

use std::{fs, io, path::Path};

/// All of a file, as text. One that is not UTF-8 is an error of the kind `InvalidData`.
pub fn read_text(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}
