//! Documents of a folder: a `.txt` or `.md` file each.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    PassageError,
    document::{Document, Markup},
};
use crate::regular_file;

/// The documents of a folder and of the folders in it, in the order of their paths, and how many other files are
/// passed over. Hidden files and folders are not looked at, nor are links to folders. A document's id is its path.
pub(super) fn documents(folder: &Path) -> Result<(Vec<Document>, usize), PassageError> {
    let mut files = Vec::new();
    collect(folder, "", &mut files)?;
    files.sort();
    let all = files.len();
    let mut documents = Vec::new();
    for (name, path) in files {
        if markup(&path).is_some() {
            documents.push(document(&path, name)?);
        }
    }
    let others = all - documents.len();
    Ok((documents, others))
}

/// The files with texts of a folder and of the folders in it, in the order of their paths.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, PassageError> {
    let mut files = Vec::new();
    collect(folder, "", &mut files)?;
    files.sort();
    let files = files.into_iter().map(|(_, path)| path);
    Ok(files.filter(|path| markup(path).is_some()).collect())
}

/// How a file with text is divided; nothing for another one.
pub(super) fn markup(path: &Path) -> Option<Markup> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "txt" => Some(Markup::Plain),
        "md" | "markdown" => Some(Markup::Markdown),
        _ => None,
    }
}

/// The document of one file.
pub(super) fn document(path: &Path, id: String) -> Result<Document, PassageError> {
    let bytes = regular_file::read_whole(path).map_err(unreadable(path))?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = before.split(|&byte| byte == b'\n').count();
        PassageError::NotUtf8 { path: path.to_owned(), line }
    })?;
    let markup = markup(path).unwrap_or(Markup::Plain);
    let place = path.display().to_string();
    Ok(Document { id, place, title: None, text: text.to_owned(), markup })
}

/// All files below a folder, each with its path from the first one.
fn collect(
    folder: &Path,
    prefix: &str,
    files: &mut Vec<(String, PathBuf)>,
) -> Result<(), PassageError> {
    for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
        let entry = entry.map_err(unreadable(folder))?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let kind = entry.file_type().map_err(unreadable(&path))?;
        if kind.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), files)?;
        } else if !(kind.is_symlink() && path.is_dir()) {
            files.push((format!("{prefix}{name}"), path));
        }
    }
    Ok(())
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> PassageError + use<> {
    let path = path.to_owned();
    move |source| PassageError::Unreadable { path, source }
}
