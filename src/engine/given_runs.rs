//! What stands in a sequence of ids without being a token: the rows of images.
//!
//! Every row of every image has an id beyond the vocabulary. Equal images have the same ids and unequal ones never, so a prefix tree shares
//! them as it shares tokens. A prompt that is seen both ways as a whole gets ids of its own, too: what it computes depends on all of it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::error::RequestError;
use super::plan::SequenceLayout;
use crate::model::GivenRows;
use crate::model::vision::ImageRows;

/// The runs of ids that an engine knows; clones know the same.
#[derive(Clone, Debug)]
pub(super) struct GivenRuns {
    vocabulary_size: u32,
    /// Whether places have three parts.
    has_places: bool,
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

/// Ids that only occur together.
#[derive(Debug)]
struct Run {
    ids: Range<u32>,
    kind: RunKind,
}

#[derive(Debug)]
enum RunKind {
    Image {
        image: ImageRows,
        sees_both_ways: bool,
    },
    /// The ids that stand in the places of these.
    Prompt(Vec<u32>),
}

impl GivenRuns {
    /// None yet, beside a vocabulary of that size.
    pub(super) fn new(vocabulary_size: usize, has_places: bool) -> Self {
        let vocabulary_size = u32::try_from(vocabulary_size).unwrap_or(u32::MAX);
        Self { vocabulary_size, has_places, known: Arc::default() }
    }

    /// The ids of the image that `key` stands for; `rows` is asked if it is not known.
    pub(super) fn image<E>(
        &self,
        key: &str,
        sees_both_ways: bool,
        rows: impl FnOnce() -> Result<ImageRows, E>,
    ) -> Result<Vec<u32>, E>
    where
        E: From<candle_core::Error>,
    {
        let key = Key::Image(key.to_owned());
        if let Some(ids) = self.ids(&key) {
            return Ok(ids);
        }
        let image = rows()?;
        let count = image.rows.dim(0)?;
        if image.grid.as_ref().is_some_and(|grid| grid.tokens() != count) {
            return Err(E::from(candle_core::Error::msg(
                "an image has not as many rows as places",
            )));
        }
        if image.grid.is_some() && !self.has_places {
            return Err(E::from(candle_core::Error::msg(
                "the config of this model does not say how places in an image turn its heads: `mrope_section` is missing",
            )));
        }
        Ok(self.add(key, count, RunKind::Image { image, sees_both_ways })?)
    }

    /// The ids of a prompt whose tokens and images all see each other.
    pub(super) fn prompt(&self, ids: &[u32]) -> candle_core::Result<Vec<u32>> {
        let key = Key::Prompt(ids.to_vec());
        match self.ids(&key) {
            Some(known) => Ok(known),
            None => self.add(key, ids.len(), RunKind::Prompt(ids.to_vec())),
        }
    }

    fn ids(&self, key: &Key) -> Option<Vec<u32>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let run = known.by_key.get(key).and_then(|place| known.runs.get(*place))?;
        Some(run.ids.clone().collect())
    }

    fn add(&self, key: Key, count: usize, kind: RunKind) -> candle_core::Result<Vec<u32>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(run) = known.by_key.get(&key).and_then(|place| known.runs.get(*place)) {
            return Ok(run.ids.clone().collect());
        }
        let first = known.runs.last().map_or(self.vocabulary_size, |run| run.ids.end);
        let Some(end) = u32::try_from(count).ok().and_then(|count| first.checked_add(count)) else {
            candle_core::bail!("images of this run have more rows than there are numbers for")
        };
        let place = known.runs.len();
        known.runs.push(Arc::new(Run { ids: first..end, kind }));
        known.by_key.insert(key, place);
        Ok((first..end).collect())
    }

    /// The run that an id beyond the vocabulary belongs to.
    fn run(&self, id: u32) -> Option<Arc<Run>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let place = known.runs.partition_point(|run| run.ids.end <= id);
        known.runs.get(place).filter(|run| run.ids.contains(&id)).cloned()
    }

    /// Whether an id is no token's.
    pub(super) fn is_given(&self, id: u32) -> bool {
        id >= self.vocabulary_size
    }

    /// What positions do not say of a sequence; `None` where it has no image.
    ///
    /// Tokens may stand between the rows of an image, as those that end a row of tiles, unless it is seen both ways or its rows have places.
    ///
    /// # Errors
    /// An id that is no token's and not known, or a run that is not whole.
    pub(super) fn layout(&self, ids: &[u32]) -> Result<Option<SequenceLayout>, RequestError> {
        if !ids.iter().any(|&id| self.is_given(id)) {
            return Ok(None);
        }
        let mut layout = SequenceLayout::default();
        // The rows that are still to come of an image that was begun.
        let mut open = 0..0;
        let mut position = 0;
        while let Some(&id) = ids.get(position) {
            if !open.is_empty() && self.is_given(id) {
                if id != open.start {
                    return Err(RequestError::CutImage);
                }
                open.start += 1;
            } else if self.is_given(id) {
                let run = self.run_at(id)?;
                if run.is_one_piece() {
                    if !ids[position..].starts_with(&run.ids.clone().collect::<Vec<_>>()) {
                        return Err(RequestError::CutImage);
                    }
                    put_run(&run, &mut layout, position);
                    position += run.ids.len();
                    continue;
                }
                open = id + 1..run.ids.end;
            }
            layout.places.push([layout.after; 3]);
            layout.after += 1;
            position += 1;
        }
        if !open.is_empty() {
            return Err(RequestError::CutImage);
        }
        // What is generated stands behind the farthest place, which may be a time of a video.
        layout.after =
            layout.places.iter().flatten().max().map_or(0, |last| last.saturating_add(1));
        if !self.has_places {
            (layout.places, layout.after) = (Vec::new(), 0);
        }
        Ok(Some(layout))
    }

    /// The run that begins with `id`.
    fn run_at(&self, id: u32) -> Result<Arc<Run>, RequestError> {
        let vocabulary_size = self.vocabulary_size as usize;
        let run = self.run(id).ok_or(RequestError::UnknownToken { id, vocabulary_size })?;
        if run.ids.start == id { Ok(run) } else { Err(RequestError::CutImage) }
    }

    /// The ids of a pass as the embedding can look them up, and the rows that are given.
    pub(super) fn rows(&self, ids: &[u32]) -> candle_core::Result<(Vec<u32>, Vec<GivenRows>)> {
        let mut tokens = ids.to_vec();
        let mut given = Vec::new();
        // Prompts stand for ids of images, among others.
        for token in &mut tokens {
            if let Some(run) = self.is_given(*token).then(|| self.run(*token)).flatten()
                && let RunKind::Prompt(stands_for) = &run.kind
            {
                *token = stands_for.get((*token - run.ids.start) as usize).copied().unwrap_or(0);
            }
        }
        let mut row = 0;
        while let Some(&id) = tokens.get(row) {
            if !self.is_given(id) {
                row += 1;
                continue;
            }
            let Some(run) = self.run(id) else { candle_core::bail!("the id {id} is unknown") };
            let RunKind::Image { image, .. } = &run.kind else {
                candle_core::bail!("the id {id} is that of a prompt within a prompt")
            };
            let rest = tokens[row..].iter().zip(id..run.ids.end);
            let count = rest.take_while(|(own, next)| *own == next).count();
            let place = (id - run.ids.start) as usize;
            let added = image.added.iter().map(|added| added.narrow(0, place, count));
            given.push(GivenRows {
                first_row: row,
                rows: image.rows.narrow(0, place, count)?,
                added: added.collect::<candle_core::Result<_>>()?,
            });
            tokens[row..row + count].fill(0);
            row += count;
        }
        Ok((tokens, given))
    }
}

impl Run {
    /// Whether nothing may stand between its ids.
    fn is_one_piece(&self) -> bool {
        match &self.kind {
            RunKind::Image { image, sees_both_ways } => *sees_both_ways || image.grid.is_some(),
            RunKind::Prompt(_) => true,
        }
    }
}

/// Lays out a run that is one piece.
fn put_run(run: &Run, layout: &mut SequenceLayout, position: usize) {
    let count = run.ids.len();
    let (grid, both_ways) = match &run.kind {
        RunKind::Image { image, sees_both_ways } => (image.grid.as_ref(), *sees_both_ways),
        RunKind::Prompt(_) => (None, true),
    };
    if both_ways {
        layout.both_ways.push(position..position + count);
    }
    let base = layout.after;
    match grid {
        Some(grid) => {
            layout.places.extend(grid.places(base));
            layout.after += grid.advance();
        }
        None => {
            layout.places.extend((0..count as u32).map(|index| [base + index; 3]));
            layout.after += count as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Tensor};

    use super::*;
    use crate::model::vision::TokenGrid;

    fn image(rows: usize, grid: Option<TokenGrid>) -> Result<ImageRows, candle_core::Error> {
        let rows = Tensor::zeros((rows, 2), candle_core::DType::F32, &Device::Cpu)?;
        Ok(ImageRows { rows, added: Vec::new(), grid })
    }

    #[test]
    fn equal_images_have_equal_ids_and_unequal_ones_never() {
        let runs = GivenRuns::new(100, false);
        let one = runs.image("one", false, || image(3, None)).unwrap();
        let other = runs.image("other", false, || image(2, None)).unwrap();
        let again = runs.image("one", false, || image(9, None)).unwrap();
        assert_eq!((one.as_slice(), other.as_slice()), (&[100, 101, 102][..], &[103, 104][..]));
        assert_eq!(one, again);
        let prompt = runs.prompt(&[5, 103, 104, 6]).unwrap();
        assert_eq!(prompt, [105, 106, 107, 108]);
        let (tokens, given) = runs.rows(&[105, 106, 107, 108, 7]).unwrap();
        assert_eq!(tokens, [5, 0, 0, 6, 7]);
        assert_eq!((given.len(), given[0].first_row), (1, 1));
    }

    #[test]
    fn a_run_is_whole_or_refused() {
        let runs = GivenRuns::new(100, false);
        runs.image("one", false, || image(3, None)).unwrap();
        assert_eq!(runs.layout(&[1, 2]).unwrap(), None);
        assert!(runs.layout(&[1, 100, 101, 102]).unwrap().is_some());
        assert!(runs.layout(&[1, 100, 7, 101, 102, 8]).unwrap().is_some());
        assert_eq!(runs.layout(&[1, 100, 102, 101]), Err(RequestError::CutImage));
        assert_eq!(runs.layout(&[1, 100, 101]), Err(RequestError::CutImage));
        assert_eq!(runs.layout(&[1, 101, 102]), Err(RequestError::CutImage));
        assert!(matches!(runs.layout(&[103]), Err(RequestError::UnknownToken { .. })));
    }

    #[test]
    fn a_grid_advances_places_by_its_longer_side() {
        let runs = GivenRuns::new(100, true);
        let ids = runs.image("grid", true, || image(6, Some(TokenGrid::of_image([2, 3])))).unwrap();
        let sequence = [&[1], ids.as_slice(), &[2]].concat();
        let layout = runs.layout(&sequence).unwrap().unwrap();
        let inside = [[1, 1, 1], [1, 1, 2], [1, 1, 3], [1, 2, 1], [1, 2, 2], [1, 2, 3]];
        assert_eq!(layout.places, [&[[0; 3]], &inside[..], &[[4; 3]]].concat());
        assert_eq!((layout.after, layout.both_ways), (5, vec![1..7]));
    }

    #[test]
    fn times_of_a_video_do_not_move_the_text_behind_it_but_what_is_generated() {
        let runs = GivenRuns::new(100, true);
        let grid = TokenGrid { times: vec![0, 5], rows: 1, columns: 2 };
        let ids = runs.image("video", false, || image(4, Some(grid))).unwrap();
        let layout = runs.layout(&[&[1], ids.as_slice(), &[2]].concat()).unwrap().unwrap();
        let inside = [[1, 1, 1], [1, 1, 2], [6, 1, 1], [6, 1, 2]];
        assert_eq!(layout.places, [&[[0; 3]], &inside[..], &[[3; 3]]].concat());
        assert_eq!(layout.after, 7);
        let short = TokenGrid::of_image([1, 2]);
        assert!(runs.image("short", false, || image(3, Some(short))).is_err());
    }
}
