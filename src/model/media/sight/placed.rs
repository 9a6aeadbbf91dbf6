//! Where the tokens of a prompt that names images stand, each image as one place.

use std::fmt::Write as _;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Looked, Sight, adds_special_tokens};
use crate::image::Size;
use crate::model::media::MediumKind;
use crate::model::placeholders;
use crate::model::tokenizer::{TokenSpan, Tokenizer};

/// An image as it stands in a prompt. Which it is, the prompt says where it names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownImage {
    /// The SHA-256 of its file's bytes when it was looked at, in hexadecimal digits.
    pub sha256: String,
    /// Its pixels along a row, upright and before they are prepared.
    pub width: usize,
    /// Its rows of pixels.
    pub height: usize,
    /// Index of its first token in the prompt.
    pub first_token: usize,
    /// Tokens that it takes: its rows, and what the model's family writes before, between and behind them.
    pub tokens: usize,
    /// How many of these are rows of the image, which nothing predicts.
    pub rows: usize,
}

/// A token of a prompt that may name images, or all tokens of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedToken {
    /// Its id, of an image that of the token for rows, and its bytes in the prompt, of an image its name with both marks.
    pub span: TokenSpan,
    /// Which of the prompt's images it is.
    pub image: Option<usize>,
}

impl ShownImage {
    /// The digest of a file's bytes, as [`ShownImage::sha256`] has it.
    pub fn digest(file: &[u8]) -> String {
        hexadecimal(&Sha256::digest(file))
    }
}

impl Sight {
    /// The tokens of a prompt that names images, and the images, both in order.
    ///
    /// # Errors
    /// As [`Sight::encode`], and where it is not known which tokens are an image's.
    pub fn placed(
        &self,
        text: &str,
        tokenizer: &Tokenizer,
    ) -> Result<(Vec<PlacedToken>, Vec<ShownImage>), String> {
        let encoder = self.headers()?;
        let expanded = self.expanded(text, tokenizer)?;
        let image_id = encoder.token_id(MediumKind::Image, tokenizer)?;
        let adds = adds_special_tokens(encoder, &expanded.text, tokenizer);
        let spans = tokenizer.encode_with_spans(&expanded.text, adds);
        let spans = spans.map_err(|error| error.to_string())?;
        let mut tokens: Vec<PlacedToken> = Vec::new();
        let mut images: Vec<ShownImage> = Vec::new();
        for (place, span) in spans.into_iter().enumerate() {
            let is_row = span.id == image_id;
            let Some(own) = expanded.image_of(&span.bytes, is_row) else {
                let bytes = expanded.marked(span.bytes.start)..expanded.marked(span.bytes.end);
                tokens.push(PlacedToken { span: TokenSpan { bytes, ..span }, image: None });
                continue;
            };
            if own >= images.len() {
                let image = &expanded.images[own];
                let bytes = image.mark.clone();
                let span = TokenSpan { id: image_id, bytes };
                tokens.push(PlacedToken { span, image: Some(own) });
                images.push(ShownImage {
                    sha256: hexadecimal(&image.looked.digest),
                    width: image.size.width,
                    height: image.size.height,
                    first_token: place,
                    tokens: 0,
                    rows: 0,
                });
            }
            if let Some(image) = images.get_mut(own) {
                image.tokens += 1;
                image.rows += usize::from(is_row);
            }
        }
        let rows = |image: &Expansion| image.looked.ids.len();
        if !images.iter().map(|image| image.rows).eq(expanded.images.iter().map(rows)) {
            return Err("it is not known which tokens are those of an image".to_owned());
        }
        Ok((tokens, images))
    }

    /// A prompt of texts and images with what the images become in their places.
    fn expanded(&self, text: &str, tokenizer: &Tokenizer) -> Result<Expanded, String> {
        let parts = self.parts(text, tokenizer)?;
        let expansions = parts.expansions();
        let expanded = self.headers()?.formed(&parts.texts, &expansions);
        if expanded != placeholders::joined(&parts.texts, &expansions) {
            return Err("the model's family has another order of text and images".to_owned());
        }
        let mut end = 0;
        let marks = Self::marks(text).into_iter();
        let images =
            marks.zip(parts.looked).zip(&parts.texts).map(|(((mark, _), looked), text)| {
                let start = end + text.len();
                end = start + looked.expansion.len();
                let size = looked.size.ok_or("places are known of text and images alone")?;
                Ok(Expansion { looked, size, mark, bytes: start..end })
            });
        Ok(Expanded { images: images.collect::<Result<_, &str>>()?, text: expanded })
    }
}

/// A prompt with what stands in the places of its images.
struct Expanded {
    text: String,
    images: Vec<Expansion>,
}

/// What stands for an image.
struct Expansion {
    looked: Looked,
    size: Size,
    /// Its name in the prompt, marks included, in bytes.
    mark: Range<usize>,
    /// What takes its place, in bytes of the expanded prompt.
    bytes: Range<usize>,
}

impl Expanded {
    /// Which image a token belongs to: the one in whose expansion it begins. A row may have no bytes of its own.
    fn image_of(&self, bytes: &Range<usize>, is_row: bool) -> Option<usize> {
        if bytes.is_empty() && !is_row {
            return None;
        }
        self.images.iter().position(|image| image.bytes.contains(&bytes.start))
    }

    /// The byte of the prompt with names that a byte of the expanded one is.
    fn marked(&self, byte: usize) -> usize {
        let before = self.images.iter().rev().find(|image| image.bytes.start < byte);
        let Some(image) = before else { return byte };
        match byte.checked_sub(image.bytes.end) {
            Some(behind) => image.mark.end + behind,
            None => image.mark.start,
        }
    }
}

fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().fold(String::new(), |mut text, byte| {
        // A text takes whatever is written to it.
        _ = write!(text, "{byte:02x}");
        text
    })
}
