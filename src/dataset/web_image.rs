//! An image at an address of the web → a file in the user's cache, where the user allows to fetch it.
//!
//! The file lies beside those of [`ImageFolder`], under the digest of its bytes. A note in `addresses/`, named after the digest of the
//! address, says which file was fetched from there; as long as both are there, nothing is fetched again, so that a run that goes on sees
//! what it saw before. Whoever wants the image as it is now deletes the folder.

use std::path::{Path, PathBuf};

use super::image_folder::{self, FILE, ImageFolder, MOST_BYTES, written};
use crate::{
    hub::{check_web_file, fetch_web_file},
    regular_file,
};

/// The folder of notes.
const ADDRESSES: &str = "addresses";

/// Most bytes of a note.
const MOST_NOTE_BYTES: u64 = 256;

/// The address of the file that holds the image at an address of the web, `file:///…`.
///
/// # Errors
/// It may not or cannot be fetched, is no image, or cannot be kept. All name the address.
pub(crate) fn web_image(url: &str) -> Result<String, String> {
    check_web_file(url).map_err(|error| error.to_string())?;
    of_web(&ImageFolder::of_user(), url, &|| {
        fetch_web_file(url, MOST_BYTES as u64).map_err(|error| error.to_string())
    })
}

fn of_web(
    folder: &ImageFolder,
    url: &str,
    fetch: &dyn Fn() -> Result<Vec<u8>, String>,
) -> Result<String, String> {
    let note = folder
        .0
        .as_deref()
        .map(|root| root.join(ADDRESSES).join(image_folder::digest(url.as_bytes())));
    if let Some(known) = note.as_deref().and_then(|note| kept(folder, note)) {
        return Ok(format!("{FILE}{}", known.display()));
    }
    let bytes = fetch()?;
    let address = folder.of_bytes(&bytes).map_err(|what| format!("{url} {what}"))?;
    let name = Path::new(&address).file_name().unwrap_or_default();
    if let Some((note, parent)) = note.as_deref().and_then(|note| Some((note, note.parent()?))) {
        written(parent, note, name.as_encoded_bytes())
            .map_err(|error| format!("{url}: the cache cannot keep {}: {error}", note.display()))?;
    }
    Ok(address)
}

/// The file that a note names, if it is there as it was fetched.
fn kept(folder: &ImageFolder, note: &Path) -> Option<PathBuf> {
    let name = String::from_utf8(regular_file::read(note, MOST_NOTE_BYTES).ok()?).ok()?;
    let (digest, kind) = name.split_once('.')?;
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_kind = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_lowercase());
    let path =
        folder.0.as_deref()?.join(digest.get(..2).filter(|_| is_digest && is_kind)?).join(&name);
    let bytes = regular_file::read(&path, MOST_BYTES as u64).ok()?;
    (image_folder::digest(&bytes) == digest).then_some(path)
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, fs};

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nan image";
    const URL: &str = "https://example.org/a.png?b";

    #[test]
    fn an_image_is_fetched_once_for_as_long_as_it_is_kept() {
        let place = tempfile::tempdir().unwrap();
        let folder = ImageFolder::at(place.path());
        let asked = Cell::new(0);
        let fetched = |url: &str| {
            of_web(&folder, url, &|| {
                asked.set(asked.get() + 1);
                Ok(PNG.to_vec())
            })
        };
        let address = fetched(URL).unwrap();
        let path = address.strip_prefix(FILE).unwrap();
        assert_eq!(fs::read(path).unwrap(), PNG);
        assert_eq!((fetched(URL), asked.get()), (Ok(address.clone()), 1));
        // Another address is another question, whatever is there.
        assert_eq!((fetched("https://example.org/b.png"), asked.get()), (Ok(address.clone()), 2));
        // What is gone or was changed is fetched anew.
        fs::write(path, b"\x89PNG\r\n\x1a\nANOTHER!").unwrap();
        assert_eq!((fetched(URL), asked.get()), (Ok(address.clone()), 3));
        assert_eq!(fs::read(path).unwrap(), PNG);
        let note = place.path().join(ADDRESSES).join(image_folder::digest(URL.as_bytes()));
        for odd in ["", "../../etc/passwd", "no.png", &format!("{}.png", "a/".repeat(32))] {
            fs::write(&note, odd).unwrap();
            assert_eq!(fetched(URL).as_ref(), Ok(&address), "{odd}");
        }
        assert_eq!(asked.get(), 7);
    }

    #[test]
    fn what_is_no_image_is_told_and_not_kept() {
        let place = tempfile::tempdir().unwrap();
        let folder = ImageFolder::at(place.path());
        let page = of_web(&folder, URL, &|| Ok(b"<html>".to_vec())).unwrap_err();
        assert!(page.starts_with(URL) && page.contains("do not begin as a PNG"), "{page}");
        let gone = of_web(&folder, URL, &|| Err("HTTP 404".to_owned())).unwrap_err();
        assert_eq!(gone, "HTTP 404");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
