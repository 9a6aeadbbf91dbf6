//! Images in columns → addresses that prompts can name.
//!
//! A data set holds an image as bytes (the `Image` of Hugging Face's `datasets` in parquet), as base64, as a data URL, as the path of a
//! file or as an address of the web. A prompt is text, so all of them become an address: bytes are written into the user's
//! cache, below `images/`, under the digest of what is in them, and the value is `file:///…`. The same image of many rows is one file, and
//! the same rows have the same prompts wherever the cache stays the same. A file there that has other bytes is written anew.
//!
//! What is none of these is refused. Nothing is decoded here but the first bytes, and nothing is fetched: an address of the web stays
//! one, which a served model fetches itself and [`web_image`](super::web_image) for the others.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::source::kind_of;
use crate::{hub::is_on_web, regular_file, shipped};

/// Most bytes of an image: what is sent to a served model at most.
pub(super) const MOST_BYTES: usize = 64 << 20;

/// What an address of a file begins with.
pub(super) const FILE: &str = "file://";

/// What images begin with, at which byte, and how their files are called.
const KINDS: [(usize, &[u8], &str); 5] = [
    (0, b"\x89PNG\r\n\x1a\n", "png"),
    (0, b"\xff\xd8\xff", "jpg"),
    (0, b"GIF8", "gif"),
    (8, b"WEBP", "webp"),
    (0, b"BM", "bmp"),
];

/// Bytes that tell all of [`KINDS`].
const LONGEST_BEGINNING: u64 = 16;

/// Base64 with or without its padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The folder that images are kept in; nothing where no cache is known.
#[derive(Clone, Debug)]
pub(super) struct ImageFolder(pub(super) Option<PathBuf>);

impl ImageFolder {
    /// The folder in the user's cache.
    pub(super) fn of_user() -> Self {
        Self(shipped::user_cache().map(|cache| cache.join("images")))
    }

    /// A folder of one's own.
    #[cfg(test)]
    pub(super) fn at(folder: &Path) -> Self {
        Self(Some(folder.to_owned()))
    }

    /// The address of a value: null stays null, of a list each item.
    ///
    /// # Errors
    /// What is wrong with it, ready to follow the name of its column.
    pub(super) fn address(&self, value: &Value) -> Result<Value, String> {
        match value {
            Value::Null => Ok(Value::Null),
            Value::String(text) => self.of_text(text).map(Value::from),
            Value::Array(items) if items.iter().any(Value::is_array) => {
                Err("holds a list within a list of images".to_owned())
            }
            Value::Array(items) if items.iter().any(Value::is_null) => {
                Err("holds a list of images with null among them".to_owned())
            }
            Value::Array(items) => items.iter().map(|item| self.address(item)).collect(),
            Value::Object(fields) if is_record(fields) => {
                let told = |name: &str| fields.get(name).filter(|own| !own.is_null());
                told("bytes")
                    .or_else(|| told("path"))
                    .map_or(Ok(Value::Null), |own| self.address(own))
            }
            other => Err(format!("holds {}, which is no image", kind_of(other))),
        }
    }

    /// The address of what a text holds or names. A path is one from the current folder.
    pub(super) fn of_text(&self, text: &str) -> Result<String, String> {
        let text = text.trim();
        if is_on_web(text) {
            return Ok(text.to_owned());
        }
        if let Some(path) = text.strip_prefix(FILE) {
            return of_file(Path::new(path));
        }
        if let Some(data) = text.strip_prefix("data:") {
            let coded = data.split_once(',').filter(|(kind, _)| kind.ends_with(";base64"));
            let bytes = coded.and_then(|(_, coded)| decoded(coded));
            let bytes = bytes.ok_or("holds a data URL that is not in base64")?;
            return self.of_bytes(&bytes);
        }
        // No path of a file is base64 that begins as an image does.
        match decoded(text).filter(|bytes| kind_of_image(bytes).is_some()) {
            Some(bytes) => self.of_bytes(&bytes),
            None => of_file(Path::new(text)),
        }
    }

    /// The address of bytes, which are in the folder then.
    pub(super) fn of_bytes(&self, bytes: &[u8]) -> Result<String, String> {
        if bytes.len() > MOST_BYTES {
            let found = bytes.len();
            return Err(format!("holds an image of {found} bytes; at most {MOST_BYTES} are read"));
        }
        let kind = kind_of_image(bytes)
            .ok_or("holds bytes that do not begin as a PNG, JPEG, GIF, WebP or BMP does")?;
        let digest = digest(bytes);
        let root = self.0.as_deref().ok_or(
            "holds images, and there is no home folder to keep them in; set SURPRISAL_CACHE to a folder",
        )?;
        let folder = root.join(&digest[..2]);
        let path = folder.join(format!("{digest}.{kind}"));
        let is_there = regular_file::read(&path, bytes.len() as u64).is_ok_and(|own| own == bytes);
        if !is_there {
            written(&folder, &path, bytes).map_err(|error| {
                let path = path.display();
                format!("holds images, and the cache cannot keep {path}: {error}; set SURPRISAL_CACHE to a folder that can be written")
            })?;
        }
        Ok(format!("{FILE}{}", path.display()))
    }
}

/// Whether an object is an image as the `datasets` library keeps it: `bytes` and the `path` of its file, of which one is null.
fn is_record(fields: &Map<String, Value>) -> bool {
    !fields.is_empty() && fields.keys().all(|name| name == "bytes" || name == "path")
}

/// Whole or not there, whoever else writes it at the same time: all write the same.
pub(super) fn written(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    fs::create_dir_all(folder)?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let partial = folder.join(format!(".{}-{number}", process::id()));
    fs::write(&partial, bytes)
        .and_then(|()| fs::rename(&partial, path))
        .inspect_err(|_| drop(fs::remove_file(&partial)))
}

/// The address of a file, which must be an image.
fn of_file(path: &Path) -> Result<String, String> {
    let shown = || {
        let shown: String = path.display().to_string().chars().take(60).collect();
        format!("holds {shown:?}")
    };
    let path = std::path::absolute(path).map_err(|_| format!("{}, which is no image", shown()))?;
    let about = fs::metadata(&path).map_err(|error| {
        format!(
            "{}, which is no address, data URL or base64 of an image, nor a file: {error}",
            shown()
        )
    })?;
    if !about.is_file() {
        return Err(format!("{}, which is no file", shown()));
    }
    if about.len() > MOST_BYTES as u64 {
        let found = about.len();
        return Err(format!("{}, a file of {found} bytes; at most {MOST_BYTES} are read", shown()));
    }
    let mut bytes = Vec::new();
    regular_file::open(&path)
        .and_then(|file| file.take(LONGEST_BEGINNING).read_to_end(&mut bytes))
        .map_err(|error| format!("{}, which cannot be read: {error}", shown()))?;
    if kind_of_image(&bytes).is_none() {
        let what = "a file that does not begin as a PNG, JPEG, GIF, WebP or BMP does";
        return Err(format!("{}, {what}", shown()));
    }
    Ok(format!("{FILE}{}", path.display()))
}

fn kind_of_image(bytes: &[u8]) -> Option<&'static str> {
    let is = |(place, begins, _): &&(usize, &[u8], &str)| {
        bytes.get(*place..).is_some_and(|from| from.starts_with(begins))
    };
    KINDS.iter().find(is).map(|(.., kind)| *kind)
}

/// The bytes of base64, lines and all; nothing if it is none, or too long for an image.
fn decoded(text: &str) -> Option<Vec<u8>> {
    if text.len() / 4 * 3 > MOST_BYTES + MOST_BYTES / 16 {
        return None;
    }
    let coded: String = text.split_ascii_whitespace().collect();
    BASE64.decode(coded).ok().filter(|bytes| !bytes.is_empty())
}

/// The SHA-256 of bytes in hexadecimal digits, by which files here are named.
pub(super) fn digest(bytes: &[u8]) -> String {
    let digit = |text: String, byte: &u8| text + &format!("{byte:02x}");
    Sha256::digest(bytes).iter().fold(String::new(), digit)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nan image";

    fn folder() -> (tempfile::TempDir, ImageFolder) {
        let place = tempfile::tempdir().unwrap();
        let folder = ImageFolder::at(&place.path().join("images"));
        (place, folder)
    }

    fn bytes_of(address: &str) -> Vec<u8> {
        fs::read(address.strip_prefix(FILE).unwrap()).unwrap()
    }

    #[test]
    fn bytes_base64_and_data_urls_are_one_file_under_its_digest() {
        let (_place, folder) = folder();
        let address = folder.of_bytes(PNG).unwrap();
        assert!(address.contains(".png") && address.starts_with("file:///"), "{address}");
        assert_eq!(bytes_of(&address), PNG);
        let coded = base64::engine::general_purpose::STANDARD.encode(PNG);
        let (first, second) = coded.split_at(8);
        for text in [
            coded.clone(),
            coded.trim_end_matches('=').to_owned(),
            format!("{first}\n{second}\n"),
            format!("data:image/png;base64,{coded}"),
            address.clone(),
            address.strip_prefix(FILE).unwrap().to_owned(),
        ] {
            assert_eq!(folder.of_text(&text), Ok(address.clone()), "{text}");
        }
        // What somebody changed is not shown in the place of the image.
        fs::write(address.strip_prefix(FILE).unwrap(), b"\x89PNG\r\n\x1a\nANOTHER!").unwrap();
        folder.of_bytes(PNG).unwrap();
        assert_eq!(bytes_of(&address), PNG);
        let parent = Path::new(address.strip_prefix(FILE).unwrap()).parent().unwrap().to_owned();
        assert_eq!(fs::read_dir(parent).unwrap().count(), 1);
    }

    #[test]
    fn a_record_of_bytes_and_a_path_is_what_it_has() {
        let (_place, folder) = folder();
        let coded = base64::engine::general_purpose::STANDARD.encode(PNG);
        let of_bytes = folder.address(&json!({"bytes": coded, "path": "a.png"})).unwrap();
        let path = of_bytes.as_str().unwrap().strip_prefix(FILE).unwrap().to_owned();
        assert_eq!(folder.address(&json!({"bytes": null, "path": path})), Ok(of_bytes));
        assert_eq!(folder.address(&json!({"bytes": null, "path": null})), Ok(json!(null)));
    }

    #[test]
    fn a_jpeg_in_base64_is_no_path_although_it_begins_as_one() {
        let (_place, folder) = folder();
        let coded = base64::engine::general_purpose::STANDARD.encode(b"\xff\xd8\xff\xe0 a picture");
        assert!(coded.starts_with('/'));
        assert!(folder.of_text(&coded).unwrap().contains(".jpg"));
    }

    #[test]
    fn lists_nulls_and_addresses_of_the_web_are_kept_as_such() {
        let (_place, folder) = folder();
        let web = "https://example.org/a.png";
        let found = folder.address(&json!([web, web])).unwrap();
        assert_eq!(found, json!([web, web]));
        assert_eq!(folder.address(&json!(null)), Ok(json!(null)));
        assert_eq!(folder.address(&json!([])).unwrap(), json!([]));
    }

    #[test]
    fn what_is_no_image_is_told() {
        let (place, folder) = folder();
        let text = place.path().join("notes.txt");
        fs::write(&text, "no image").unwrap();
        for (value, expected) in [
            (json!(7), "holds a number, which is no image"),
            (json!([["a.png"]]), "a list within a list"),
            (json!({"bytes": null, "size": 3}), "holds an object"),
            (json!(["https://example.org/a.png", null]), "with null among them"),
            (json!("cats/1.jpg"), "\"cats/1.jpg\", which is no address, data URL or base64"),
            (json!(""), "is no"),
            (json!("data:image/png,raw"), "a data URL that is not in base64"),
            (json!("data:image/png;base64,bm8gaW1hZ2U="), "do not begin as"),
            (json!(text.to_str().unwrap()), "does not begin as"),
            (json!(place.path().to_str().unwrap()), "is no file"),
            (json!("bm8gaW1hZ2U="), "nor a file"),
        ] {
            let error = folder.address(&value).unwrap_err();
            assert!(error.starts_with("holds") && error.contains(expected), "{value}: {error}");
        }
        assert!(folder.of_bytes(b"").unwrap_err().contains("do not begin"));
        assert!(folder.of_bytes(&vec![0; MOST_BYTES + 1]).unwrap_err().contains("at most"));
        let nowhere = ImageFolder(None).of_bytes(PNG).unwrap_err();
        assert!(nowhere.contains("SURPRISAL_CACHE"), "{nowhere}");
    }
}
