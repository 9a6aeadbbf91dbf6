//! What a checkpoint sees and hears with, and the ids of what prompts show and let hear.
//!
//! A prompt names an image, a video or a sound by its address between two marks, in the place where the chat template wrote what stands for one
//! ([`Sight::marked`]). Its ids are known from its size alone, so prompts are written, counted and checked before a tower is read.

mod marks;
mod placed;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use candle_core::{DType, Device};
use serde::Serialize;

use self::marks::{CLOSE, OPEN, PROMPT_END};
pub use self::placed::{PlacedPrompt, PlacedToken, ShownMedium};
use super::{Digest, MediaEncoder, Medium, MediumKind, NamedMedium};
use crate::image::Size;
use crate::model::spec::DecoderSpec;
use crate::model::tokenizer::Tokenizer;
use crate::model::vision::{ImageIds, ImageRows};

/// Bytes of rows that are kept during a run.
pub const KEPT_BYTES: usize = 1 << 30;

/// Memory on the CPU of towers and of what they make, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SightMemory {
    /// The parameters of towers.
    pub tower_bytes: usize,
    /// The rows of all images, videos and sounds, as far as they are kept.
    pub row_bytes: usize,
}

/// What a checkpoint sees and hears with, its weights still on disk. Nothing of it is read before the first image, video or sound.
#[derive(Debug)]
pub struct Sight {
    folder: PathBuf,
    /// Why it is shown nothing, whatever its files say.
    refusal: Option<String>,
    /// Made of headers alone: it expands prompts and makes no row. Beside it the memory of its parameters, in bytes.
    headers: OnceLock<Result<(MediaEncoder, usize), String>>,
    ids: ImageIds,
    /// What stands for something that is shown, and in no text by itself.
    places: OnceLock<Vec<(String, MediumKind)>>,
    has_places: bool,
    sees_prompt_both_ways: bool,
    /// What was looked at, by how it is written and how many images its prompt has.
    looked: Mutex<HashMap<(String, usize), Looked>>,
    /// What is to be told of it.
    remarks: Mutex<BTreeSet<String>>,
}

/// An image, a video or a sound that was looked at.
#[derive(Clone, Debug)]
struct Looked {
    expansion: String,
    kind: MediumKind,
    /// The token in whose places rows stand.
    token_id: u32,
    /// The ids of all rows, in order.
    ids: Vec<u32>,
    /// What decides its content.
    digest: Digest,
    /// The pixels of an image before they were prepared.
    size: Option<Size>,
}

/// A prompt, taken apart.
struct Parts<'t> {
    /// What stands around what is shown: one more than that.
    texts: Vec<&'t str>,
    looked: Vec<Looked>,
}

impl Parts<'_> {
    /// What takes the places of what is shown.
    fn expansions(&self) -> Vec<String> {
        self.looked.iter().map(|looked| looked.expansion.clone()).collect()
    }
}

impl Sight {
    /// What sees of the checkpoint in a folder; with a refusal it sees nothing.
    pub(in crate::model) fn of(folder: &Path, spec: &DecoderSpec, refusal: Option<String>) -> Self {
        Self {
            folder: folder.to_owned(),
            refusal,
            headers: OnceLock::new(),
            ids: ImageIds::default(),
            places: OnceLock::new(),
            has_places: spec.has_places(),
            sees_prompt_both_ways: spec.sees_prompt_both_ways,
            looked: Mutex::default(),
            remarks: Mutex::default(),
        }
    }

    /// What expands prompts.
    fn headers(&self) -> Result<&MediaEncoder, String> {
        self.opened().map(|(encoder, _)| encoder)
    }

    fn opened(&self) -> Result<&(MediaEncoder, usize), String> {
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let opened = self.headers.get_or_init(|| MediaEncoder::from_headers(&self.folder));
        opened.as_ref().map_err(Clone::clone)
    }

    /// Looks whether something of each kind can be shown, before a template is asked to write where.
    ///
    /// # Errors
    /// The model takes none of a kind.
    pub fn check_takes(&self, media: &[Medium]) -> Result<(), String> {
        media.iter().try_for_each(|medium| self.headers()?.placeholder(medium.kind).map(|_| ()))
    }

    /// The ids of its images, videos and sounds.
    pub fn ids(&self) -> &ImageIds {
        &self.ids
    }

    /// What showing what is among `sequences` of ids takes beside the decoder, in bytes, on the CPU; nothing where they are texts.
    ///
    /// Not counted is what a pass of a tower holds.
    pub fn memory<'i>(
        &self,
        sequences: impl Iterator<Item = &'i [u32]>,
        hidden_size: usize,
    ) -> SightMemory {
        let runs = self.ids.runs(sequences);
        let Some((encoder, tower_bytes)) = self.opened().ok().filter(|_| !runs.is_empty()) else {
            return SightMemory::default();
        };
        let rows: usize = runs.iter().map(|run| run.ids.len()).sum();
        let row_bytes = (1 + encoder.added_layers()) * hidden_size * size_of::<f32>();
        SightMemory { tower_bytes: *tower_bytes, row_bytes: (rows * row_bytes).min(KEPT_BYTES) }
    }

    /// Whether a prompt and what it shows are seen both ways as a whole, so that only what follows it has a surprisal.
    pub fn sees_prompt_both_ways(&self) -> bool {
        self.sees_prompt_both_ways
    }

    /// What is to be told of what was looked at since this was last asked, each with the name of its file.
    pub fn take_remarks(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.remarks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The ids of a prompt that names images, videos or sounds.
    ///
    /// # Errors
    /// One cannot be read, or tokens and rows do not fit each other.
    pub fn encode(&self, text: &str, tokenizer: &Tokenizer) -> Result<Vec<u32>, String> {
        let encoder = self.headers()?;
        let (prompt, answer) = match text.split_once(PROMPT_END) {
            Some((prompt, answer)) => (prompt, Some(answer)),
            None => (text, None),
        };
        let parts = self.parts(prompt, tokenizer)?;
        let of_one = |looked: &Looked| {
            let token_id = looked.token_id;
            looked.ids.iter().map(|id| (token_id, *id)).collect::<Vec<_>>()
        };
        let rows: Vec<(u32, u32)> = parts.looked.iter().flat_map(of_one).collect();
        let expanded = encoder.formed(&parts.texts, &parts.expansions());
        let adds = adds_special_tokens(encoder, &expanded, tokenizer);
        let encoded = |text: &str, adds| tokenizer.encode(text, adds).map_err(|e| e.to_string());
        let kinds = MediumKind::ALL.into_iter();
        let tokens = kinds.filter_map(|kind| encoder.token_id(kind, tokenizer).ok());
        let tokens: Vec<u32> = tokens.collect();
        let ids = with_rows(encoded(&expanded, adds)?, rows, &tokens)?;
        if !self.sees_prompt_both_ways {
            return Ok(ids);
        }
        let mut ids = self.ids.prompt(&ids).map_err(|error| error.to_string())?;
        if let Some(answer) = answer {
            ids.extend(encoded(answer, false)?);
        }
        Ok(ids)
    }

    /// A prompt in parts, and what was looked at.
    fn parts<'t>(&self, prompt: &'t str, tokenizer: &Tokenizer) -> Result<Parts<'t>, String> {
        let (mut texts, mut media, mut from) = (Vec::new(), Vec::new(), 0);
        for (mark, written) in Self::marks(prompt) {
            texts.push(prompt.get(from..mark.start).unwrap_or_default());
            media.push(Medium::parse(written)?);
            from = mark.end;
        }
        texts.push(prompt.get(from..).unwrap_or_default());
        if texts.iter().any(|text| text.contains([OPEN, CLOSE])) {
            return Err(
                "the prompt has one of the characters U+F8E0 and U+F8E1, and nothing is named between them"
                    .to_owned(),
            );
        }
        let images = media.iter().filter(|medium| medium.kind == MediumKind::Image).count();
        let looked = media.iter().map(|medium| self.look(medium, images, tokenizer));
        Ok(Parts { texts, looked: looked.collect::<Result<_, _>>()? })
    }

    fn look(
        &self,
        medium: &Medium,
        images_of_prompt: usize,
        tokenizer: &Tokenizer,
    ) -> Result<Looked, String> {
        let images_of_prompt = if medium.kind == MediumKind::Image { images_of_prompt } else { 0 };
        let key = (medium.written(), images_of_prompt);
        if let Some(looked) = self.known().get(&key) {
            return Ok(looked.clone());
        }
        let failed = |error: String| format!("{}: {error}", medium.shown());
        let encoder = self.headers()?;
        let (processed, digest) = encoder.processed(medium, images_of_prompt)?;
        let expansion = encoder.expansion(&processed).map_err(failed)?;
        let token_id = encoder.token_id(medium.kind, tokenizer)?;
        let tokens = tokenizer.encode(&expansion, false).map_err(|error| error.to_string())?;
        let tokens = tokens.iter().filter(|id| **id == token_id).count();
        let grids = encoder.grids(&processed)?;
        if grids.is_empty() || !tokens.is_multiple_of(grids.len()) {
            let parts = grids.len();
            return Err(failed(format!("its {tokens} tokens are not those of {parts} moments")));
        }
        let (mut ids, shared) = (Vec::with_capacity(tokens), Arc::new(medium.clone()));
        for (stretch, grid) in grids.iter().enumerate() {
            let named = NamedMedium {
                medium: Arc::clone(&shared),
                digest,
                images_of_prompt,
                stretch,
                tokens: tokens / grids.len(),
                grid: grid.clone().filter(|_| self.has_places),
                sees_both_ways: encoder.sees_both_ways(medium.kind),
            };
            ids.extend(self.ids.named(named).map_err(|error| error.to_string())?);
        }
        if let Some(remark) = encoder.remark(&processed) {
            let mut remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
            remarks.insert(format!("{}: {remark}", medium.shown()));
        }
        let (kind, size) = (medium.kind, processed.size());
        let looked = Looked { expansion, kind, token_id, ids, digest, size };
        self.known().insert(key, looked.clone());
        Ok(looked)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<(String, usize), Looked>> {
        self.looked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The towers on a device.
    ///
    /// # Errors
    /// As [`MediaEncoder::load`].
    pub fn towers(&self, device: &Device, dtype: DType) -> Result<MediaEncoder, String> {
        MediaEncoder::load(&self.folder, device, dtype)
    }

    /// The rows that a tower makes, of all stretches of a video, each with the first of its ids.
    ///
    /// # Errors
    /// What is to be seen or heard is not as it was when its prompt was written.
    pub fn rows(
        &self,
        towers: &MediaEncoder,
        named: &NamedMedium,
    ) -> Result<Vec<(u32, ImageRows)>, String> {
        let medium: &Medium = &named.medium;
        let shown = medium.shown();
        let (processed, digest) = towers.processed(medium, named.images_of_prompt)?;
        if digest != named.digest {
            return Err(format!("{shown} has changed since the run began"));
        }
        let grids = towers.grids(&processed)?;
        let made = towers.rows(&processed).map_err(|error| format!("{shown}: {error}"))?;
        let mut rows = Vec::with_capacity(made.len());
        for (stretch, (own, grid)) in made.into_iter().zip(grids).enumerate() {
            let found = own.rows.dim(0).map_err(|error| error.to_string())?;
            let grid = grid.filter(|_| self.has_places);
            let is_placed = own.grid.as_ref().filter(|_| self.has_places) == grid.as_ref();
            let first = self.ids.first_of(&NamedMedium { stretch, grid, ..named.clone() });
            let (Some(first), true, true) = (first, is_placed, found == named.tokens) else {
                let wanted = named.tokens;
                return Err(format!(
                    "{shown}: the tower makes {found} rows and the prompt has {wanted}"
                ));
            };
            rows.push((first, own));
        }
        Ok(rows)
    }
}

/// Whether the tokenizer puts its special tokens around an expanded prompt.
fn adds_special_tokens(encoder: &MediaEncoder, expanded: &str, tokenizer: &Tokenizer) -> bool {
    let bos = tokenizer.bos_id().map(|id| tokenizer.token_text(id));
    let begins = bos.is_some_and(|bos| !bos.is_empty() && expanded.starts_with(&bos));
    encoder.takes_special_tokens() && !begins
}

/// Ids of a prompt with `rows` in the places of their tokens, each the token that it takes the place of and its id; `tokens` are all for which
/// rows stand.
fn with_rows(mut ids: Vec<u32>, rows: Vec<(u32, u32)>, tokens: &[u32]) -> Result<Vec<u32>, String> {
    let (count, mut rows) = (rows.len(), rows.into_iter());
    let mut fits = true;
    let mut places = 0;
    for id in ids.iter_mut().filter(|id| tokens.contains(id)) {
        places += 1;
        match rows.next() {
            Some((token, row)) if token == *id => *id = row,
            _ => fits = false,
        }
    }
    if !fits || places != count {
        return Err(format!(
            "the prompt has {places} tokens for rows, and what it shows has {count} rows; a text that has the image token, or that of videos or \
             sounds, is the cause"
        ));
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_places_of_their_tokens_alone() {
        let rows = || vec![(7, 100), (7, 101), (8, 200)];
        let put = |ids: &[u32]| with_rows(ids.to_vec(), rows(), &[7, 8, 9]);
        assert_eq!(put(&[1, 7, 2, 7, 8, 3]), Ok(vec![1, 100, 2, 101, 200, 3]));
        for ids in [&[7, 7][..], &[7, 7, 8, 8], &[7, 8, 7], &[7, 7, 8, 9]] {
            assert!(put(ids).unwrap_err().contains("tokens for rows"), "{ids:?}");
        }
    }
}
