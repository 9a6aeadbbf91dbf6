//! Where the tokens of a prompt that names images, videos or sounds stand, each of these as one place.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Looked, Sight, adds_special_tokens};
use crate::image::Size;
use crate::model::media::{MediumKind, address::hexadecimal};
use crate::model::placeholders;
use crate::model::tokenizer::{TokenSpan, Tokenizer};

/// An image, a video or a sound as it stands in a prompt. Which it is, the prompt says where it names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownMedium {
    /// What it is.
    #[serde(default)]
    pub kind: MediumKind,
    /// The SHA-256 of its file's bytes when it was looked at, in hexadecimal digits.
    pub sha256: String,
    /// The pixels of an image along a row, upright and before they are prepared; 0 of others.
    pub width: usize,
    /// Rows of pixels; 0 of others.
    pub height: usize,
    /// Index of its first token in the prompt.
    pub first_token: usize,
    /// Tokens that it takes: its rows, and what the model's family writes before, between and behind them.
    pub tokens: usize,
    /// How many of these are rows of the image, which nothing predicts.
    pub rows: usize,
}

/// The tokens of a prompt, and what it names, both in order.
pub type PlacedPrompt = (Vec<PlacedToken>, Vec<ShownMedium>);

/// A token of a prompt that may name images, videos or sounds, or all tokens of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedToken {
    /// Its id, of what is named that of the token for rows, and its bytes in the prompt, of what is named its name with both marks.
    pub span: TokenSpan,
    /// Which of the things that the prompt names it is.
    pub image: Option<usize>,
}

impl ShownMedium {
    /// The digest of a file's bytes, as [`ShownMedium::sha256`] has it.
    pub fn digest(file: &[u8]) -> String {
        hexadecimal(&Sha256::digest(file))
    }
}

impl Sight {
    /// The tokens of a prompt, and what it names, both in order; nothing where the model's family has another order than the prompt.
    ///
    /// # Errors
    /// As [`Sight::encode`], and where it is not known which tokens are those of what is named.
    pub fn placed(
        &self,
        text: &str,
        tokenizer: &Tokenizer,
    ) -> Result<Option<PlacedPrompt>, String> {
        let encoder = self.headers()?;
        let Some(expanded) = self.expanded(text, tokenizer)? else { return Ok(None) };
        let adds = adds_special_tokens(encoder, &expanded.text, tokenizer);
        let spans = tokenizer.encode_with_spans(&expanded.text, adds);
        let spans = spans.map_err(|error| error.to_string())?;
        let mut tokens: Vec<PlacedToken> = Vec::new();
        let mut images: Vec<ShownMedium> = Vec::new();
        for (place, span) in spans.into_iter().enumerate() {
            let is_row = expanded.images.iter().any(|image| image.looked.token_id == span.id);
            let Some(own) = expanded.image_of(&span.bytes, is_row) else {
                let bytes = expanded.marked(span.bytes.start)..expanded.marked(span.bytes.end);
                tokens.push(PlacedToken { span: TokenSpan { bytes, ..span }, image: None });
                continue;
            };
            if own >= images.len() {
                let image = &expanded.images[own];
                let bytes = image.mark.clone();
                let span = TokenSpan { id: image.looked.token_id, bytes };
                tokens.push(PlacedToken { span, image: Some(own) });
                let size = image.looked.size.unwrap_or(Size { width: 0, height: 0 });
                images.push(ShownMedium {
                    kind: image.looked.kind,
                    sha256: hexadecimal(&image.looked.digest),
                    width: size.width,
                    height: size.height,
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
            return Err("it is not known which tokens are those of what is named".to_owned());
        }
        Ok(Some((tokens, images)))
    }

    /// A prompt with what takes the places of what it names; nothing where the family puts texts elsewhere.
    fn expanded(&self, text: &str, tokenizer: &Tokenizer) -> Result<Option<Expanded>, String> {
        let parts = self.parts(text, tokenizer)?;
        let expansions = parts.expansions();
        let expanded = self.headers()?.formed(&parts.texts, &expansions);
        if expanded != placeholders::joined(&parts.texts, &expansions) {
            return Ok(None);
        }
        let mut end = 0;
        let marks = Self::marks(text).into_iter();
        let images =
            marks.zip(parts.looked).zip(&parts.texts).map(|(((mark, _), looked), text)| {
                let start = end + text.len();
                end = start + looked.expansion.len();
                Expansion { looked, mark, bytes: start..end }
            });
        Ok(Some(Expanded { images: images.collect(), text: expanded }))
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
