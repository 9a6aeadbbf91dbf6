//! Files of images, videos and sounds that messages name, sent as data URLs: a server on another machine does not see them.
//!
//! Every file is looked at before anything is asked, so that what is missing, too large or no such file shows then, and the digests of
//! all become part of what decides the answers. When a file is sent it has to be as it was then.

#![expect(clippy::disallowed_methods, reason = "messages name files that are sent with them")]

use std::{collections::BTreeMap, fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

/// What an address of a file begins with.
const FILE: &str = "file://";

/// Most bytes of a file.
const MOST_BYTES: u64 = 64 << 20;

/// Parts of messages whose address may be a file's.
const PARTS: [&str; 3] = ["image_url", "video_url", "audio_url"];

/// What files begin with, at which byte, and their media types.
const KINDS: [(usize, &[u8], &str); 13] = [
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (8, b"AVI ", "video/x-msvideo"),
    (8, b"WAVE", "audio/wav"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
];

/// Digests of files, by the addresses that messages have for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MediaFiles(BTreeMap<String, [u8; 32]>);

impl MediaFiles {
    /// Looks at every file that the messages in these texts name.
    ///
    /// # Errors
    /// One cannot be read, is too large or empty, or does not begin as an image, a video or a sound does.
    pub fn look<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let mut files = BTreeMap::new();
        for text in texts.filter(|text| text.contains(FILE)) {
            let Ok(mut messages) = serde_json::from_str::<Json>(text) else { continue };
            each_address(&mut messages, &mut |address| {
                if address.starts_with(FILE) && !files.contains_key(address.as_str()) {
                    let (bytes, _) = read(address)?;
                    files.insert(address.clone(), Sha256::digest(bytes).into());
                }
                Ok(())
            })?;
        }
        Ok(Self(files))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A digest of all, for what decides answers.
    pub fn digest(&self) -> [u8; 32] {
        let mut all = Sha256::new();
        for (address, digest) in &self.0 {
            all.update((address.len() as u64).to_le_bytes());
            all.update(address);
            all.update(digest);
        }
        all.finalize().into()
    }

    /// Messages with their files in them.
    ///
    /// # Errors
    /// A file is not as it was when it was looked at. One of a later turn of a dialogue was not looked at, and is read as it is.
    pub(super) fn inlined(&self, mut messages: Json) -> Result<Json, String> {
        each_address(&mut messages, &mut |address| {
            if !address.starts_with(FILE) {
                return Ok(());
            }
            let (bytes, kind) = read(address)?;
            let digest: [u8; 32] = Sha256::digest(&bytes).into();
            if self.0.get(address.as_str()).is_some_and(|known| *known != digest) {
                return Err(format!("{address} has changed since the run began"));
            }
            *address = format!("data:{kind};base64,{}", STANDARD.encode(&bytes));
            Ok(())
        })?;
        Ok(messages)
    }
}

/// Goes over the addresses of images, videos and sounds in messages.
fn each_address(
    messages: &mut Json,
    seen: &mut dyn FnMut(&mut String) -> Result<(), String>,
) -> Result<(), String> {
    let contents = messages.as_array_mut().into_iter().flatten();
    let parts = contents.filter_map(|message| message.get_mut("content")?.as_array_mut()).flatten();
    for part in parts {
        for name in PARTS {
            match part.get_mut(name) {
                Some(Json::String(address)) => seen(address)?,
                Some(Json::Object(fields)) => {
                    if let Some(Json::String(address)) = fields.get_mut("url") {
                        seen(address)?;
                    }
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The bytes of a file, and what they are.
fn read(address: &str) -> Result<(Vec<u8>, &'static str), String> {
    let path = Path::new(address.strip_prefix(FILE).unwrap_or(address));
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let about = fs::metadata(path).map_err(failed)?;
    if !about.is_file() {
        return Err(format!("{} is no file", path.display()));
    }
    if about.len() > MOST_BYTES {
        let (bytes, most) = (about.len(), MOST_BYTES);
        return Err(format!("{} has {bytes} bytes; at most {most} are sent", path.display()));
    }
    let bytes = fs::read(path).map_err(failed)?;
    let kind = KINDS.iter().find(|(place, begins, _)| {
        bytes.get(*place..).is_some_and(|from| from.starts_with(begins))
    });
    match kind {
        Some((_, _, kind)) => Ok((bytes, kind)),
        None => Err(format!(
            "{} does not begin as an image, a video or a sound does, so its type cannot be told to the server",
            path.display()
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn messages(address: &str) -> Json {
        json!([{"role": "user", "content": [
            {"type": "text", "text": address},
            {"type": "image_url", "image_url": {"url": address}},
            {"type": "audio_url", "audio_url": address},
        ]}])
    }

    #[test]
    fn files_are_sent_as_they_were_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b.png");
        fs::write(&path, b"\x89PNG\r\n\x1a\nrest").unwrap();
        let address = format!("file://{}", path.display());
        let asked = messages(&address);
        let files = MediaFiles::look([asked.to_string().as_str(), "file://no json"].into_iter());
        let files = files.unwrap();
        assert_eq!(files.len(), 1);
        let sent = files.inlined(asked.clone()).unwrap();
        let data = "data:image/png;base64,iVBORw0KGgpyZXN0";
        let parts = &sent[0]["content"];
        assert_eq!(parts[0]["text"], address.as_str());
        assert_eq!(
            (&parts[1]["image_url"]["url"], &parts[2]["audio_url"]),
            (&json!(data), &json!(data))
        );
        let before = files.digest();
        fs::write(&path, b"\x89PNG\r\n\x1a\nmore").unwrap();
        assert!(files.inlined(asked.clone()).unwrap_err().contains("has changed"));
        let now = MediaFiles::look([asked.to_string().as_str()].into_iter()).unwrap();
        assert_ne!(now.digest(), before);
        // What is at an address of the network is the server's to fetch.
        let web = messages("https://example.org/a.png");
        assert_eq!(files.inlined(web.clone()).unwrap(), web);
    }

    #[test]
    fn what_is_no_such_file_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| format!("file://{}", folder.path().join(name).display());
        fs::write(folder.path().join("notes.txt"), "no picture").unwrap();
        fs::write(folder.path().join("empty.png"), "").unwrap();
        let large = fs::File::create(folder.path().join("large.png")).unwrap();
        large.set_len(MOST_BYTES + 1).unwrap();
        for (name, why) in [
            ("gone.png", "No such file"),
            ("notes.txt", "does not begin as"),
            ("empty.png", "does not begin as"),
            ("large.png", "at most"),
            ("", "is no file"),
        ] {
            let asked = messages(&at(name)).to_string();
            let error = MediaFiles::look([asked.as_str()].into_iter()).unwrap_err();
            assert!(error.contains(why) && error.contains(name), "{error}");
        }
    }
}
