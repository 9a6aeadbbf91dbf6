//! Ids beyond any vocabulary: the rows of images, videos and sounds in sequences of tokens.
//!
//! Every row of every image, of every stretch of a video and of every sound has an id of its own, from [`FIRST_IMAGE_ID`] on. Equal images have the same ids and unequal ones never, so whatever shares tokens shares
//! them too. A prompt that is seen both ways as a whole gets ids of its own: what it computes depends on all of it. Which number an
//! image gets depends on what was asked before it, so outside of a process an id stands for nothing; [`ImageIds::content`] does.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::{ImageRows, TokenGrid};
use crate::model::media::NamedMedium;

/// The first id that is no token's: no vocabulary is that large.
pub const FIRST_IMAGE_ID: u32 = 1 << 31;

/// Whether an id is a row of an image and no token's.
pub fn is_image_id(id: u32) -> bool {
    id >= FIRST_IMAGE_ID
}

/// The ids that are no tokens'; clones know the same.
#[derive(Clone, Debug, Default)]
pub struct ImageIds {
    known: Arc<Mutex<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    /// In the order of their ids, which are consecutive.
    runs: Vec<Arc<Run>>,
    by_key: HashMap<Key, usize>,
}

/// What a run is found by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// What decides an image's rows.
    Image(String),
    /// All ids of a prompt.
    Prompt(Vec<u32>),
}

/// Ids of rows that belong together.
#[derive(Debug)]
pub struct Run {
    /// The ids.
    pub ids: Range<u32>,
    /// What they stand for.
    pub kind: RunKind,
    /// A digest of what decides their rows.
    content: [u8; 32],
}

/// What ids beyond the vocabulary stand for.
#[derive(Debug)]
pub enum RunKind {
    /// The rows of an image that a tower has made.
    Image {
        /// Its rows.
        image: ImageRows,
        /// Whether they see each other both ways.
        sees_both_ways: bool,
    },
    /// The rows of an image, a sound or a stretch of a video that a tower will make.
    Named(NamedMedium),
    /// The ids that stand in the places of these, which all see each other.
    Prompt(Vec<u32>),
}

impl Run {
    /// Where its rows stand, where the decoder's places have three parts.
    pub fn grid(&self) -> Option<&TokenGrid> {
        match &self.kind {
            RunKind::Image { image, .. } => image.grid.as_ref(),
            RunKind::Named(medium) => medium.grid(),
            RunKind::Prompt(_) => None,
        }
    }

    /// Whether its rows see each other both ways.
    pub fn sees_both_ways(&self) -> bool {
        match &self.kind {
            RunKind::Image { sees_both_ways, .. } => *sees_both_ways,
            RunKind::Named(medium) => medium.sees_both_ways(),
            RunKind::Prompt(_) => true,
        }
    }

    /// A digest of what decides its rows: the same in every process.
    pub(super) fn content(&self) -> &[u8; 32] {
        &self.content
    }

    /// Whether nothing may stand between its ids.
    pub fn is_one_piece(&self) -> bool {
        self.sees_both_ways() || self.grid().is_some()
    }
}

impl ImageIds {
    /// Whether there is no image.
    pub fn is_empty(&self) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).runs.is_empty()
    }

    /// The ids of the image that `key` stands for; `rows` is asked if it is not known.
    ///
    /// # Errors
    /// Those of `rows`, or there are more rows than numbers.
    pub fn image<E: From<candle_core::Error>>(
        &self,
        key: &str,
        sees_both_ways: bool,
        rows: impl FnOnce() -> Result<ImageRows, E>,
    ) -> Result<Vec<u32>, E> {
        if let Some(ids) = self.ids(&Key::Image(key.to_owned())) {
            return Ok(ids);
        }
        let image = rows()?;
        let count = image.rows.dim(0)?;
        let kind = RunKind::Image { image, sees_both_ways };
        Ok(self.add(Key::Image(key.to_owned()), key.as_bytes(), count, kind)?)
    }

    /// The ids of what has rows that are made when they are needed.
    ///
    /// # Errors
    /// There are more rows than numbers.
    pub fn named(&self, medium: NamedMedium) -> candle_core::Result<Vec<u32>> {
        let (key, count) = (medium.key(), medium.tokens());
        match self.ids(&Key::Image(key.clone())) {
            Some(ids) => Ok(ids),
            None => {
                self.add(Key::Image(key.clone()), key.as_bytes(), count, RunKind::Named(medium))
            }
        }
    }

    /// The first of its ids, if it has any.
    pub(in crate::model) fn first_of(&self, medium: &NamedMedium) -> Option<u32> {
        self.ids(&Key::Image(medium.key()))?.first().copied()
    }

    /// The ids of a prompt whose tokens and images all see each other.
    ///
    /// # Errors
    /// There are more rows than numbers.
    pub fn prompt(&self, ids: &[u32]) -> candle_core::Result<Vec<u32>> {
        let key = Key::Prompt(ids.to_vec());
        if let Some(known) = self.ids(&key) {
            return Ok(known);
        }
        let content = self.content(ids);
        self.add(key, &content, ids.len(), RunKind::Prompt(ids.to_vec()))
    }

    fn ids(&self, key: &Key) -> Option<Vec<u32>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let run = known.by_key.get(key).and_then(|place| known.runs.get(*place))?;
        Some(run.ids.clone().collect())
    }

    fn add(
        &self,
        key: Key,
        content: &[u8],
        count: usize,
        kind: RunKind,
    ) -> candle_core::Result<Vec<u32>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(run) = known.by_key.get(&key).and_then(|place| known.runs.get(*place)) {
            return Ok(run.ids.clone().collect());
        }
        let first = known.runs.last().map_or(FIRST_IMAGE_ID, |run| run.ids.end);
        let Some(end) = u32::try_from(count).ok().and_then(|count| first.checked_add(count)) else {
            candle_core::bail!("images have more rows than there are numbers for")
        };
        let place = known.runs.len();
        let content = Sha256::digest(content).into();
        known.runs.push(Arc::new(Run { ids: first..end, kind, content }));
        known.by_key.insert(key, place);
        Ok((first..end).collect())
    }

    /// The run that an id beyond the vocabulary belongs to.
    pub fn run(&self, id: u32) -> Option<Arc<Run>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let place = known.runs.partition_point(|run| run.ids.end <= id);
        known.runs.get(place).filter(|run| run.ids.contains(&id)).cloned()
    }

    /// The images that have rows in one of these sequences, each once; those of a prompt that is seen both ways too.
    pub fn runs<'i>(&self, sequences: impl Iterator<Item = &'i [u32]>) -> Vec<Arc<Run>> {
        let mut found = BTreeMap::new();
        for sequence in sequences {
            self.collect_runs(sequence, &mut found);
        }
        found.into_values().collect()
    }

    fn collect_runs(&self, sequence: &[u32], found: &mut BTreeMap<u32, Arc<Run>>) {
        let mut known = 0..0;
        for &id in sequence.iter().filter(|id| is_image_id(**id)) {
            if known.contains(&id) {
                continue;
            }
            let Some(run) = self.run(id) else { continue };
            known = run.ids.clone();
            match &run.kind {
                RunKind::Prompt(stands_for) => self.collect_runs(stands_for, found),
                _ => drop(found.insert(run.ids.start, run)),
            }
        }
    }

    /// Bytes that are equal for equal sequences in any process: those of tokens' ids, and for rows of images what decides them.
    pub fn content(&self, ids: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4 * ids.len());
        for &id in ids {
            let run = is_image_id(id).then(|| self.run(id)).flatten();
            match run {
                None => bytes.extend(id.to_le_bytes()),
                Some(run) => {
                    bytes.extend(u32::MAX.to_le_bytes());
                    bytes.extend(run.content);
                    bytes.extend((id - run.ids.start).to_le_bytes());
                }
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{DType, Device, Tensor};

    use super::*;

    fn image(rows: usize) -> Result<ImageRows, candle_core::Error> {
        let rows = Tensor::zeros((rows, 2), DType::F32, &Device::Cpu)?;
        Ok(ImageRows { rows, added: Vec::new(), grid: None })
    }

    #[test]
    fn equal_images_have_equal_ids_and_unequal_ones_never() {
        let known = ImageIds::default();
        let one = known.image("one", false, || image(3)).unwrap();
        let other = known.image("other", false, || image(2)).unwrap();
        let again = known.image("one", false, || image(9)).unwrap();
        let at = |ids: Range<u32>| ids.map(|id| FIRST_IMAGE_ID + id).collect::<Vec<_>>();
        assert_eq!((&one, &other), (&at(0..3), &at(3..5)));
        assert_eq!(one, again);
        assert_eq!(known.prompt(&[5, other[0], other[1], 6]).unwrap(), at(5..9));
    }

    #[test]
    fn images_of_sequences_are_counted_once() {
        let known = ImageIds::default();
        let one = known.image("one", false, || image(3)).unwrap();
        let other = known.image("other", false, || image(2)).unwrap();
        let prompt = known.prompt(&[&[5], other.as_slice()].concat()).unwrap();
        let sequences = [[&[7], one.as_slice()].concat(), one.clone(), prompt, vec![1, 2]];
        let runs = known.runs(sequences.iter().map(Vec::as_slice));
        let lengths: Vec<usize> = runs.iter().map(|run| run.ids.len()).collect();
        assert_eq!(lengths, [3, 2]);
        assert!(known.runs(std::iter::empty()).is_empty());
    }

    #[test]
    fn content_does_not_depend_on_what_was_asked_before() {
        let (first, second) = (ImageIds::default(), ImageIds::default());
        first.image("other", false, || image(2)).unwrap();
        let of = |known: &ImageIds| {
            let ids = known.image("one", false, || image(3)).unwrap();
            let prompt = known.prompt(&[&[7], ids.as_slice()].concat()).unwrap();
            (known.content(&[&[1], ids.as_slice()].concat()), known.content(&prompt))
        };
        assert_eq!(of(&first), of(&second));
        let other = first.image("other", false, || image(2)).unwrap();
        assert_ne!(first.content(&other), first.content(&[7, 8]));
        // Without images it is what it was before there were any.
        assert_eq!(first.content(&[1, 2]), [1, 0, 0, 0, 2, 0, 0, 0]);
    }
}
