//! Where an image, a video or a sound is.

use std::fmt::Write as _;
use std::path::PathBuf;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

/// A SHA-256 of all that decides what is seen or heard.
pub(in crate::model) type Digest = [u8; 32];

/// That of a file's bytes.
pub(super) fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

/// A digest in hexadecimal digits.
pub(super) fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().fold(String::new(), |mut text, byte| {
        // A text takes whatever is written to it.
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// What an address of a file begins with.
const FILE: &str = "file://";

/// Where something is that a message shows: a file or a folder, or in the address itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MediaAddress {
    /// A file, or a folder of a video's images.
    File(PathBuf),
    /// The base64 of a file's bytes.
    Data(String),
}

impl MediaAddress {
    /// Reads an address as messages have it: `file://…`, a path, `data:…;base64,…`.
    ///
    /// # Errors
    /// It is on the network, or has data that are not in base64.
    pub fn parse(written: &str) -> Result<Self, String> {
        if let Some(path) = written.strip_prefix(FILE) {
            let begun = ["data:", "http://", "https://", FILE];
            if let Some(other) = begun.into_iter().find(|other| path.starts_with(other)) {
                return Err(format!(
                    "an address in a message begins with `{FILE}` and goes on with `{other}`, which is an address by itself; leave the first out \
                     of the template"
                ));
            }
            return Ok(Self::File(path.into()));
        }
        if let Some(rest) = written.strip_prefix("data:") {
            let (_, data) = rest.split_once(";base64,").ok_or_else(|| {
                "an address in a message begins with `data:` and is not in base64".to_owned()
            })?;
            return Ok(Self::Data(data.to_owned()));
        }
        if written.contains("://") {
            return Err(format!(
                "{written} is on the network, and a model here is given files alone; fetch it and give its path"
            ));
        }
        Ok(Self::File(written.into()))
    }

    /// As [`Self::parse`] reads it.
    pub(super) fn written(&self) -> String {
        match self {
            Self::File(path) => format!("{FILE}{}", path.display()),
            Self::Data(data) => format!("data:;base64,{data}"),
        }
    }

    /// The bytes of the file, of which there may be so many.
    ///
    /// # Errors
    /// A message without the address: it cannot be read, is longer, or is no base64.
    pub fn bytes(&self, most_bytes: u64) -> Result<Vec<u8>, String> {
        match self {
            Self::File(path) => {
                crate::regular_file::read(path, most_bytes).map_err(|error| error.to_string())
            }
            Self::Data(data) => {
                STANDARD.decode(data).map_err(|error| format!("no base64: {error}"))
            }
        }
    }
}
