//! Tiles row by row, and then the whole image: `InternVL`, Aya Vision.

use super::{
    Arrangement, Read,
    fields::Fields,
    normalization::{CLIP_MEAN, CLIP_STD, Normalization},
    size_field::{SizeField, square},
};
use crate::image::{Filter, ImageError, Layout, Pixels, ProcessedImage, Size};

/// How large tiles are, and how many there may be.
#[derive(Clone, Debug)]
pub(super) struct Tiled {
    tile: Size,
    filter: Filter,
    /// Fewest and most tiles, if there are to be any.
    tiles: Option<(usize, usize)>,
    is_resized: bool,
}

/// Most tiles of an image that settings may ask for.
const MOST_TILES: usize = 256;

impl Tiled {
    /// `GotOcr2ImageProcessor`.
    pub(super) fn read(fields: &mut Fields<'_>) -> Read {
        let numbers = Normalization::read(fields, CLIP_MEAN, CLIP_STD)?;
        fields.only("do_center_crop", false)?;
        fields.only("do_pad", false)?;
        let tile = SizeField::read_exact(fields, "size", square(384))?;
        let is_cut = fields.flag("crop_to_patches", false)?;
        let fewest = fields.count("min_patches")?.unwrap_or(1);
        let most = fields.count("max_patches")?.unwrap_or(12);
        if most > MOST_TILES || fewest > most {
            let problem =
                format!("must be from min_patches, {fewest}, to {MOST_TILES}, and is {most}");
            return Err(fields.wrong("max_patches", problem));
        }
        let tiled = Self {
            tile,
            filter: fields.filter(Filter::Bicubic)?,
            tiles: (is_cut && most > 1).then_some((fewest, most)),
            is_resized: fields.flag("do_resize", true)?,
        };
        Ok((Arrangement::Tiled(tiled), numbers))
    }

    pub(super) fn process(
        &self,
        image: &Pixels,
        numbers: &Normalization,
    ) -> Result<ProcessedImage, ImageError> {
        let Some((fewest, most)) = self.tiles else {
            let picture = if self.is_resized {
                image.resized(self.tile, self.filter)?
            } else {
                image.clone()
            };
            return Ok(numbers.pictures(&[picture], Layout::Tiles { rows: 1, columns: 1 }));
        };
        let (columns, rows) = nearest_grid(image.size(), self.tile.pixels(), fewest, most);
        let canvas = Size { width: self.tile.width * columns, height: self.tile.height * rows };
        let resized = image.resized(canvas, self.filter)?;
        let mut pictures: Vec<Pixels> = resized.tiles(self.tile).collect();
        if pictures.len() > 1 {
            pictures.push(image.resized(self.tile, self.filter)?);
        }
        Ok(numbers.pictures(&pictures, Layout::Tiles { rows, columns }))
    }
}

/// Columns and rows of `fewest` to `most` tiles whose shape is nearest to that of the image. Of equally near ones, more tiles are taken as long as
/// the image has more than half of their pixels.
pub(super) fn nearest_grid(
    image: Size,
    tile_pixels: usize,
    fewest: usize,
    most: usize,
) -> (usize, usize) {
    let sides = |columns| (1..=most / columns).map(move |rows| (columns, rows));
    let mut grids: Vec<(usize, usize)> = (1..=most).flat_map(sides).collect();
    grids.retain(|(columns, rows)| columns * rows >= fewest);
    grids.sort_by_key(|(columns, rows)| columns * rows);
    let ratio = image.width as f64 / image.height as f64;
    let mut best = (f64::INFINITY, (1, 1));
    for grid in grids {
        let (columns, rows) = (grid.0 as f64, grid.1 as f64);
        let difference = (ratio - columns / rows).abs();
        let fills_half = || image.pixels() as f64 > 0.5 * tile_pixels as f64 * columns * rows;
        if difference < best.0 || (difference.total_cmp(&best.0).is_eq() && fills_half()) {
            best = (difference, grid);
        }
    }
    best.1
}
