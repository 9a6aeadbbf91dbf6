//! What stands in a sequence of ids without being a token: where it stands, and its rows when a pass needs them.
//!
//! Rows that a tower makes are kept while there is room, the ones of no use for longest forgotten first: a pass computes an image's keys and
//! values, and what continues it reads those.

use std::sync::{Arc, Mutex, PoisonError};

use super::error::RequestError;
use super::kept_rows::{self, RowKeeper};
use super::plan::SequenceLayout;
use crate::model::media::{KEPT_BYTES, MediaEncoder, NamedMedium, Sight};
use crate::model::vision::{ImageIds, ImageRows, Run, RunKind, is_image_id};
use crate::model::{Decoder, GivenRows, Model};

/// The ids that an engine knows beside those of tokens; clones know the same.
#[derive(Clone, Debug)]
pub(super) struct GivenRuns {
    ids: ImageIds,
    /// Rows of the embedding.
    vocabulary_size: usize,
    /// Whether places have three parts.
    has_places: bool,
    sight: Option<Arc<Sight>>,
    towers: Arc<Mutex<Towers>>,
    /// Where rows are kept between runs, if they are.
    keeper: Option<Arc<dyn RowKeeper>>,
}

/// What makes rows, and what it made.
#[derive(Debug, Default)]
struct Towers {
    model: Option<MediaEncoder>,
    /// First ids of runs and their rows, the one of no use for longest first.
    kept: Vec<(u32, ImageRows)>,
    kept_bytes: usize,
}

impl GivenRuns {
    /// Those that a model's prompts name.
    pub(super) fn of(model: &Model) -> Self {
        let spec = model.decoder.spec();
        let ids = match &model.sight {
            Some(sight) => sight.ids().clone(),
            None => ImageIds::default(),
        };
        let (sight, has_places) = (model.sight.clone(), spec.has_places());
        let vocabulary_size = spec.vocabulary_size;
        Self { ids, vocabulary_size, has_places, sight, towers: Arc::default(), keeper: None }
    }

    /// The same, with rows that are kept between runs.
    pub(super) fn with_keeper(self, keeper: Arc<dyn RowKeeper>) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    /// The ids.
    pub(super) fn ids(&self) -> &ImageIds {
        &self.ids
    }

    /// Whether places have three parts.
    pub(super) fn has_places(&self) -> bool {
        self.has_places
    }

    /// What positions do not say of a sequence; `None` where it has no image.
    ///
    /// Tokens may stand between the rows of an image, as those that end a row of tiles, unless it is seen both ways or its rows have places.
    ///
    /// # Errors
    /// An id that is no token's and not known, or a run that is not whole.
    pub(super) fn layout(&self, ids: &[u32]) -> Result<Option<SequenceLayout>, RequestError> {
        if !ids.iter().any(|&id| is_image_id(id)) {
            return Ok(None);
        }
        let mut layout = SequenceLayout::default();
        // The rows that are still to come of an image that was begun.
        let mut open = 0..0;
        let mut position = 0;
        while let Some(&id) = ids.get(position) {
            if !open.is_empty() && is_image_id(id) {
                if id != open.start {
                    return Err(RequestError::CutImage);
                }
                open.start += 1;
            } else if is_image_id(id) {
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
        let vocabulary_size = self.vocabulary_size;
        let run = self.ids.run(id).ok_or(RequestError::UnknownToken { id, vocabulary_size })?;
        if run.ids.start == id { Ok(run) } else { Err(RequestError::CutImage) }
    }

    /// The ids of a pass as the embedding can look them up, and the rows that are given.
    pub(super) fn rows(
        &self,
        ids: &[u32],
        decoder: &Decoder,
    ) -> candle_core::Result<(Vec<u32>, Vec<GivenRows>)> {
        let mut tokens = ids.to_vec();
        let mut given = Vec::new();
        // Prompts stand for ids of images, among others.
        for token in &mut tokens {
            if let Some(run) = is_image_id(*token).then(|| self.ids.run(*token)).flatten()
                && let RunKind::Prompt(stands_for) = &run.kind
            {
                *token = stands_for.get((*token - run.ids.start) as usize).copied().unwrap_or(0);
            }
        }
        let mut row = 0;
        while let Some(&id) = tokens.get(row) {
            if !is_image_id(id) {
                row += 1;
                continue;
            }
            let Some(run) = self.ids.run(id) else { candle_core::bail!("the id {id} is unknown") };
            let image = match &run.kind {
                RunKind::Image { image, .. } => image.clone(),
                RunKind::Named(medium) => self.made(run.ids.start, medium, decoder)?,
                RunKind::Prompt(_) => {
                    candle_core::bail!("the id {id} is that of a prompt within a prompt")
                }
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

    /// The rows of a run by its first id, kept or made now. Those of all stretches of a video are made at once.
    fn made(
        &self,
        first_id: u32,
        medium: &NamedMedium,
        decoder: &Decoder,
    ) -> candle_core::Result<ImageRows> {
        let Some(sight) = &self.sight else {
            candle_core::bail!("the model was loaded without sight")
        };
        let mut towers = self.towers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = towers.kept.iter().position(|(id, _)| *id == first_id) {
            let found = towers.kept.remove(place);
            towers.kept.push(found.clone());
            return Ok(found.1);
        }
        let made = match self.kept(medium, decoder) {
            Some(kept) => vec![(first_id, kept)],
            None => self.computed(&mut towers, sight, medium, decoder)?,
        };
        let Some(wanted) = made.iter().find(|(id, _)| *id == first_id).cloned() else {
            candle_core::bail!("the towers made no rows for the id {first_id}")
        };
        for (id, rows) in made {
            if !towers.kept.iter().any(|(kept, _)| *kept == id) {
                towers.kept_bytes += bytes(&rows);
                towers.kept.push((id, rows));
            }
        }
        while towers.kept_bytes > KEPT_BYTES && towers.kept.len() > 1 {
            let (_, forgotten) = towers.kept.remove(0);
            towers.kept_bytes -= bytes(&forgotten);
        }
        Ok(wanted.1)
    }

    /// The rows that an earlier run has made.
    fn kept(&self, medium: &NamedMedium, decoder: &Decoder) -> Option<ImageRows> {
        let bytes = self.keeper.as_ref()?.kept(&medium.key())?;
        kept_rows::read(&bytes, medium, decoder.device())
    }

    /// The rows that the towers make now, each with the first of its ids.
    fn computed(
        &self,
        towers: &mut Towers,
        sight: &Sight,
        medium: &NamedMedium,
        decoder: &Decoder,
    ) -> candle_core::Result<Vec<(u32, ImageRows)>> {
        if towers.model.is_none() {
            let loaded = sight.towers(decoder.device(), decoder.dtype());
            towers.model = Some(loaded.map_err(candle_core::Error::msg)?);
        }
        let Some(model) = &towers.model else { candle_core::bail!("the towers are not there") };
        let made = sight.rows(model, medium).map_err(candle_core::Error::msg)?;
        if let Some(keeper) = &self.keeper {
            for (id, rows) in &made {
                if let Some(run) = self.ids.run(*id)
                    && let RunKind::Named(own) = &run.kind
                {
                    keeper.keep(&own.key(), &kept_rows::written(rows)?);
                }
            }
        }
        Ok(made)
    }
}

/// Memory of an image's rows.
fn bytes(image: &ImageRows) -> usize {
    let tensors = std::iter::once(&image.rows).chain(&image.added);
    tensors.map(|tensor| tensor.elem_count() * tensor.dtype().size_in_bytes()).sum()
}

/// Lays out a run that is one piece.
fn put_run(run: &Run, layout: &mut SequenceLayout, position: usize) {
    let count = run.ids.len();
    if run.sees_both_ways() {
        layout.both_ways.push(position..position + count);
    }
    let base = layout.after;
    if let Some(grid) = run.grid() {
        layout.places.extend(grid.places(base));
        layout.after += grid.advance();
    } else {
        layout.places.extend((0..count as u32).map(|index| [base + index; 3]));
        layout.after += count as u32;
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{DType, Device, Tensor};

    use super::*;
    use crate::model::vision::TokenGrid;

    fn runs(has_places: bool) -> GivenRuns {
        let ids = ImageIds::default();
        let (sight, towers, keeper) = Default::default();
        GivenRuns { ids, vocabulary_size: 100, has_places, sight, towers, keeper }
    }

    fn image(rows: usize, grid: Option<TokenGrid>) -> Result<ImageRows, candle_core::Error> {
        let rows = Tensor::zeros((rows, 2), DType::F32, &Device::Cpu)?;
        Ok(ImageRows { rows, added: Vec::new(), grid })
    }

    #[test]
    fn a_run_is_whole_or_refused() {
        let runs = runs(false);
        let ids = runs.ids.image("one", false, || image(3, None)).unwrap();
        let [first, second, third] = ids[..] else { panic!("three rows") };
        assert_eq!(runs.layout(&[1, 2]).unwrap(), None);
        assert!(runs.layout(&[1, first, second, third]).unwrap().is_some());
        assert!(runs.layout(&[1, first, 7, second, third, 8]).unwrap().is_some());
        assert_eq!(runs.layout(&[1, first, third, second]), Err(RequestError::CutImage));
        assert_eq!(runs.layout(&[1, first, second]), Err(RequestError::CutImage));
        assert_eq!(runs.layout(&[1, second, third]), Err(RequestError::CutImage));
        assert!(matches!(runs.layout(&[third + 1]), Err(RequestError::UnknownToken { .. })));
    }

    #[test]
    fn a_grid_advances_places_by_its_longer_side() {
        let runs = runs(true);
        let grid = Some(TokenGrid::of_image([2, 3]));
        let ids = runs.ids.image("grid", true, || image(6, grid)).unwrap();
        let sequence = [&[1], ids.as_slice(), &[2]].concat();
        let layout = runs.layout(&sequence).unwrap().unwrap();
        let inside = [[1, 1, 1], [1, 1, 2], [1, 1, 3], [1, 2, 1], [1, 2, 2], [1, 2, 3]];
        assert_eq!(layout.places, [&[[0; 3]], &inside[..], &[[4; 3]]].concat());
        assert_eq!(
            (layout.after, layout.both_ways.first(), layout.both_ways.len()),
            (5, Some(&(1..7)), 1)
        );
    }

    #[test]
    fn times_of_a_video_do_not_move_the_text_behind_it_but_what_is_generated() {
        let runs = runs(true);
        let grid = TokenGrid { times: vec![0, 5], rows: 1, columns: 2 };
        let ids = runs.ids.image("video", false, || image(4, Some(grid))).unwrap();
        let layout = runs.layout(&[&[1], ids.as_slice(), &[2]].concat()).unwrap().unwrap();
        let inside = [[1, 1, 1], [1, 1, 2], [6, 1, 1], [6, 1, 2]];
        assert_eq!(layout.places, [&[[0; 3]], &inside[..], &[[3; 3]]].concat());
        assert_eq!(layout.after, 7);
    }
}
