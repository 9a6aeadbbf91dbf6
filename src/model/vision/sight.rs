//! How a checkpoint is shown images: prompts that name them → ids, and their rows when these are needed.
//!
//! A prompt names an image between two marks, in the place where the chat template wrote what stands for one ([`Sight::marked`]). Its ids
//! are known from the image's size alone, so prompts are written, counted and checked before a tower is read.

mod placed;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use candle_core::{DType, Device};
use serde::Serialize;

pub use self::placed::{PlacedToken, ShownImage};
use super::{ImageAddress, ImageIds, ImageRows, NamedImage, TokenGrid, VisionError, VisionModel};
use crate::image::{Layout, Size};
use crate::model::spec::DecoderSpec;
use crate::model::tokenizer::Tokenizer;

/// Before the address of an image in a prompt.
const OPEN: char = '\u{f8e0}';

/// Bytes of images' rows that are kept during a run.
pub const KEPT_BYTES: usize = 1 << 30;

/// Behind it.
const CLOSE: char = '\u{f8e1}';

/// Memory on the CPU of a tower and of what it makes, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SightMemory {
    /// The tower's parameters.
    pub tower_bytes: usize,
    /// The rows of all images, as far as they are kept.
    pub image_bytes: usize,
}

/// What a checkpoint sees with, its weights still on disk. Nothing of it is read before the first image.
#[derive(Debug)]
pub struct Sight {
    folder: PathBuf,
    /// Why it is shown no image, whatever its files say.
    refusal: Option<String>,
    /// Made of headers alone: it expands prompts and makes no row. Beside it the memory of its parameters, in bytes.
    headers: OnceLock<Result<(VisionModel, usize), String>>,
    ids: ImageIds,
    has_places: bool,
    /// What was looked at, by its address and how many images its prompt has.
    looked: Mutex<HashMap<(ImageAddress, usize), Looked>>,
}

/// An image that was looked at.
#[derive(Clone, Debug)]
struct Looked {
    expansion: String,
    ids: Vec<u32>,
    /// Its pixels before they were prepared.
    size: Size,
    digest: [u8; 32],
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

impl Sight {
    /// What sees of the checkpoint in a folder; with a refusal it sees nothing.
    pub(in crate::model) fn of(folder: &Path, spec: &DecoderSpec, refusal: Option<String>) -> Self {
        Self {
            folder: folder.to_owned(),
            refusal,
            headers: OnceLock::new(),
            ids: ImageIds::default(),
            has_places: spec.has_places(),
            looked: Mutex::default(),
        }
    }

    /// What expands prompts.
    fn headers(&self) -> Result<&VisionModel, String> {
        self.opened().map(|(headers, _)| headers)
    }

    fn opened(&self) -> Result<&(VisionModel, usize), String> {
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let opened = self.headers.get_or_init(|| {
            VisionModel::from_headers(&self.folder).map_err(|error| error.to_string())
        });
        opened.as_ref().map_err(Clone::clone)
    }

    /// The ids of its images.
    pub fn ids(&self) -> &ImageIds {
        &self.ids
    }

    /// What showing the images among `sequences` of ids takes beside the decoder, in bytes, on the CPU; nothing where there are none.
    ///
    /// Not counted is what a pass of the tower holds.
    pub fn memory<'i>(
        &self,
        sequences: impl Iterator<Item = &'i [u32]>,
        hidden_size: usize,
    ) -> SightMemory {
        let runs = self.ids.runs(sequences);
        let Some((headers, tower_bytes)) = self.opened().ok().filter(|_| !runs.is_empty()) else {
            return SightMemory::default();
        };
        let rows: usize = runs.iter().map(|run| run.ids.len()).sum();
        let row_bytes = (1 + headers.added_layers()) * hidden_size * size_of::<f32>();
        SightMemory { tower_bytes: *tower_bytes, image_bytes: (rows * row_bytes).min(KEPT_BYTES) }
    }

    /// A prompt that was rendered with the addresses of its images where the template wrote what stands for one.
    ///
    /// # Errors
    /// There are not as many places as images.
    pub fn marked(&self, rendered: &str, addresses: &[ImageAddress]) -> Result<String, String> {
        if rendered.contains([OPEN, CLOSE]) {
            return Err("the prompt has one of the characters U+F8E0 and U+F8E1, between which images are named here".to_owned());
        }
        let placeholder = self.headers()?.placeholder();
        let parts: Vec<&str> = rendered.split(placeholder).collect();
        if parts.len() != addresses.len() + 1 {
            return Err(format!(
                "the prompt has {} images, and {} places for one ({placeholder}) once it is written; a chat template that knows no images, \
                 or a text that has this word, is the cause",
                addresses.len(),
                parts.len() - 1
            ));
        }
        let mut marked = String::new();
        for (place, part) in parts.into_iter().enumerate() {
            marked.push_str(part);
            if let Some(address) = addresses.get(place) {
                marked.push(OPEN);
                marked.push_str(&address.written());
                marked.push(CLOSE);
            }
        }
        Ok(marked)
    }

    /// A prompt without the names of its images.
    pub fn unmarked(text: &str) -> Cow<'_, str> {
        let mut pieces = text.split(OPEN);
        let first = pieces.next().unwrap_or_default();
        if first.len() == text.len() {
            return Cow::Borrowed(text);
        }
        let rest = |piece| str::split_once(piece, CLOSE).map_or("", |(_, rest)| rest);
        Cow::Owned(std::iter::once(first).chain(pieces.map(rest)).collect())
    }

    /// Whether a prompt names an image.
    pub fn is_marked(text: &str) -> bool {
        text.contains(OPEN)
    }

    /// The ids of a prompt that names images.
    ///
    /// # Errors
    /// An image cannot be read, or tokens and rows do not fit each other.
    pub fn encode(&self, text: &str, tokenizer: &Tokenizer) -> Result<Vec<u32>, String> {
        let expanded = self.expanded(text, tokenizer)?;
        let image_id = self.image_id(tokenizer)?;
        let adds = self.adds_special_tokens(&expanded.text, tokenizer)?;
        let ids = tokenizer.encode(&expanded.text, adds).map_err(|error| error.to_string())?;
        let rows: Vec<u32> =
            expanded.images.into_iter().flat_map(|image| image.looked.ids).collect();
        let places = ids.iter().filter(|id| **id == image_id).count();
        if places != rows.len() {
            return Err(format!(
                "the prompt has {places} tokens for rows of images, and its images have {} rows; a text that has the image token is the cause",
                rows.len()
            ));
        }
        let mut rows = rows.into_iter();
        let put = |id| if id == image_id { rows.next().unwrap_or(id) } else { id };
        Ok(ids.into_iter().map(put).collect())
    }

    /// A prompt with what its images become in their places.
    fn expanded(&self, text: &str, tokenizer: &Tokenizer) -> Result<Expanded, String> {
        let marks = Self::marks(text);
        let mut expanded = String::new();
        let mut images = Vec::with_capacity(marks.len());
        let mut from = 0;
        for (mark, address) in &marks {
            let looked = self.look(&ImageAddress::parse(address)?, marks.len(), tokenizer)?;
            expanded.push_str(text.get(from..mark.start).unwrap_or_default());
            let start = expanded.len();
            expanded.push_str(&looked.expansion);
            images.push(Expansion { looked, mark: mark.clone(), bytes: start..expanded.len() });
            from = mark.end;
        }
        let rest = text.get(from..).unwrap_or_default();
        if rest.contains(OPEN) {
            return Err(
                "the prompt has the character U+F8E0, and no image is named behind it".to_owned()
            );
        }
        expanded.push_str(rest);
        Ok(Expanded { text: expanded, images })
    }

    /// Whether the tokenizer puts its special tokens around an expanded prompt.
    fn adds_special_tokens(&self, expanded: &str, tokenizer: &Tokenizer) -> Result<bool, String> {
        let bos = tokenizer.bos_id().map(|id| tokenizer.token_text(id));
        let begins = bos.is_some_and(|bos| !bos.is_empty() && expanded.starts_with(&bos));
        Ok(self.headers()?.takes_special_tokens() && !begins)
    }

    fn image_id(&self, tokenizer: &Tokenizer) -> Result<u32, String> {
        let id = self.headers()?.image_id(tokenizer);
        id.ok_or_else(|| "the tokenizer has no token for images".to_owned())
    }

    fn look(
        &self,
        address: &ImageAddress,
        images_of_prompt: usize,
        tokenizer: &Tokenizer,
    ) -> Result<Looked, String> {
        let key = (address.clone(), images_of_prompt);
        let known = || self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(looked) = known().get(&key) {
            return Ok(looked.clone());
        }
        let failed = |error: VisionError| format!("{}: {error}", address.shown());
        let (pixels, digest) = address.look()?;
        let headers = self.headers()?;
        let image = headers.processed(&pixels, images_of_prompt).map_err(failed)?;
        let expansion = headers.expansion(&image).map_err(failed)?;
        let image_id = self.image_id(tokenizer)?;
        let tokens = tokenizer.encode(&expansion, false).map_err(|error| error.to_string())?;
        let grid = match &image.layout {
            Layout::Patches { rows, columns, merged } if self.has_places => {
                let side = (*merged).max(1);
                Some(TokenGrid::of_image([rows / side, columns / side]))
            }
            _ => None,
        };
        let named = NamedImage {
            address: address.clone(),
            digest,
            images_of_prompt,
            tokens: tokens.iter().filter(|id| **id == image_id).count(),
            grid,
            sees_both_ways: headers.sees_both_ways(),
        };
        let ids = self.ids.named(named).map_err(|error| error.to_string())?;
        let looked = Looked { expansion, ids, size: pixels.size(), digest };
        known().insert(key, looked.clone());
        Ok(looked)
    }

    /// The tower on a device.
    ///
    /// # Errors
    /// As [`VisionModel::load`].
    pub fn tower(&self, device: &Device, dtype: DType) -> Result<VisionModel, VisionError> {
        VisionModel::load(&self.folder, device, dtype)
    }

    /// The rows that a tower makes of an image.
    ///
    /// # Errors
    /// The image is not as it was when its prompt was written.
    pub fn rows(&self, tower: &VisionModel, image: &NamedImage) -> Result<ImageRows, String> {
        let (pixels, digest) = image.address.look()?;
        let shown = image.address.shown();
        if digest != image.digest {
            return Err(format!("{shown} has changed since the run began"));
        }
        let failed = |error: VisionError| format!("{shown}: {error}");
        let processed = tower.processed(&pixels, image.images_of_prompt).map_err(failed)?;
        let rows = tower.rows(&processed).map_err(failed)?;
        let found = rows.rows.dim(0).map_err(|error| error.to_string())?;
        let grid = rows.grid.as_ref().filter(|_| self.has_places);
        if found != image.tokens || grid != image.grid.as_ref() {
            let wanted = image.tokens;
            return Err(format!(
                "{shown}: the tower makes {found} rows and the prompt has {wanted}"
            ));
        }
        Ok(rows)
    }
}
