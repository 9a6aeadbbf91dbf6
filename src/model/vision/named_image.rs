//! An image by the file that it is in.

use std::fmt::Write as _;
use std::path::PathBuf;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

use super::TokenGrid;
use crate::image::{Pixels, Transparency, decode};

/// What an address of a file begins with.
const FILE: &str = "file://";

/// Most bytes of a file.
const MOST_BYTES: u64 = 64 << 20;

/// An image whose rows are made when they are needed, and again after they were forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedImage {
    /// Where it is.
    pub(super) address: ImageAddress,
    /// The SHA-256 of its bytes when it was looked at.
    pub(super) digest: [u8; 32],
    /// How many images its prompt has.
    pub(super) images_of_prompt: usize,
    /// How many rows it has.
    pub(super) tokens: usize,
    /// Where its rows stand, where the decoder's places have three parts.
    pub(super) grid: Option<TokenGrid>,
    /// Whether its rows see each other both ways.
    pub(super) sees_both_ways: bool,
}

impl NamedImage {
    /// What decides its rows, beside the model.
    pub fn key(&self) -> String {
        let mut key = String::new();
        for byte in self.digest {
            // A text takes whatever is written to it.
            _ = write!(key, "{byte:02x}");
        }
        _ = write!(key, " {}", self.images_of_prompt);
        key
    }

    /// How many rows it has.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Where its rows stand, where the decoder's places have three parts.
    pub fn grid(&self) -> Option<&TokenGrid> {
        self.grid.as_ref()
    }

    /// One of so many rows.
    #[cfg(test)]
    pub(crate) fn of_rows(tokens: usize) -> Self {
        let address = ImageAddress::Data(String::new());
        let (grid, sees_both_ways) = (None, false);
        Self { address, digest: [0; 32], images_of_prompt: 1, tokens, grid, sees_both_ways }
    }
}

/// Where an image is: a file, or in the address itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ImageAddress {
    /// A file.
    File(PathBuf),
    /// The base64 of a file's bytes.
    Data(String),
}

impl ImageAddress {
    /// Reads an address as messages have it: `file://…`, the path of a file, `data:image/…;base64,…`.
    ///
    /// # Errors
    /// It is on the network.
    pub fn parse(written: &str) -> Result<Self, String> {
        if let Some(path) = written.strip_prefix(FILE) {
            return Ok(Self::File(path.into()));
        }
        if let Some(rest) = written.strip_prefix("data:") {
            let (_, data) = rest.split_once(";base64,").ok_or_else(|| {
                "an image in a message begins with `data:` and is not in base64".to_owned()
            })?;
            return Ok(Self::Data(data.to_owned()));
        }
        if written.contains("://") {
            return Err(format!(
                "{written} is on the network, and a model here sees files alone; fetch it and give its path"
            ));
        }
        Ok(Self::File(written.into()))
    }

    /// As [`Self::parse`] reads it.
    pub(super) fn written(&self) -> String {
        match self {
            Self::File(path) => format!("{FILE}{}", path.display()),
            Self::Data(data) => format!("data:image;base64,{data}"),
        }
    }

    /// What stands for it in messages.
    pub fn shown(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Data(data) => format!("an image of {} bytes in base64", data.len()),
        }
    }

    /// The bytes of its file.
    ///
    /// # Errors
    /// It cannot be read; the words do not say which image it is.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        match self {
            Self::File(path) => {
                crate::regular_file::read(path, MOST_BYTES).map_err(|error| error.to_string())
            }
            Self::Data(data) => {
                STANDARD.decode(data).map_err(|error| format!("no base64: {error}"))
            }
        }
    }

    /// Its pixels, and the SHA-256 of its bytes.
    ///
    /// # Errors
    /// It cannot be read or decoded.
    pub(super) fn look(&self) -> Result<(Pixels, [u8; 32]), String> {
        let failed = |problem: String| format!("{}: {problem}", self.shown());
        let bytes = self.bytes().map_err(failed)?;
        let pixels = decode(&bytes, Transparency::Dropped);
        let pixels = pixels.map_err(|error| failed(error.to_string()))?;
        Ok((pixels, Sha256::digest(&bytes).into()))
    }
}
