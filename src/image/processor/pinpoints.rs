//! The whole image, and tiles of it in the best of some sizes: LLaVA-NeXT, LLaVA-OneVision.
//!
//! The image keeps its shape: it fills the size on two sides, and black fills the other two.

use serde_json::Value;

use super::{
    Arrangement, ProcessorError, Read,
    fields::{Fields, count},
    normalization::{CLIP_MEAN, CLIP_STD, Normalization},
    plain::{Target, middle},
    size_field::{SizeField, square},
};
use crate::image::{Filter, ImageError, Layout, Pixels, ProcessedImage, Size};

/// Sizes and what is done to tiles.
#[derive(Clone, Debug)]
pub(super) struct Pinpoints {
    sizes: Vec<Size>,
    target: Target,
    filter: Filter,
    tile_side: usize,
    is_resized: bool,
    crop: Option<Size>,
    /// Whether images that are not alone in their prompt have no tiles.
    is_whole_beside_others: bool,
}

/// Most sizes that are tried for an image.
const MOST_PINPOINTS: usize = 4096;

impl Pinpoints {
    /// `LlavaNextImageProcessor`.
    pub(super) fn read_next(fields: &mut Fields<'_>) -> Read {
        let sizes = [(1, 2), (2, 1), (2, 2), (3, 1), (1, 3)];
        let sizes = sizes.map(|(rows, columns)| Size { width: columns * 336, height: rows * 336 });
        let crop = Some(square(224));
        Self::read(fields, SizeField::Shortest(224), crop, sizes.to_vec(), false)
    }

    /// `LlavaOnevisionImageProcessor`.
    pub(super) fn read_onevision(fields: &mut Fields<'_>) -> Read {
        let row = |rows: usize| {
            (1..=6).map(move |columns| Size { width: columns * 384, height: rows * 384 })
        };
        let sizes = (1..=6).flat_map(row).collect();
        Self::read(fields, SizeField::Exact(square(384)), None, sizes, true)
    }

    fn read(
        fields: &mut Fields<'_>,
        size: SizeField,
        crop: Option<Size>,
        sizes: Vec<Size>,
        is_whole_beside_others: bool,
    ) -> Read {
        let numbers = Normalization::read(fields, CLIP_MEAN, CLIP_STD)?;
        // Pads lists of tiles to one length, which nobody needs who takes images one by one.
        fields.pass_over(&["do_pad"]);
        if let Some(setting) = fields.text("aspect_ratio_setting")?.filter(|it| it != "anyres") {
            let problem = format!("is {setting}, and only anyres is supported");
            return Err(fields.wrong("aspect_ratio_setting", problem));
        }
        let target = Target::read(fields, size)?;
        let filter = fields.filter(Filter::Bicubic)?;
        let is_resized = fields.flag("do_resize", true)?;
        let is_cropped = fields.flag("do_center_crop", crop.is_some())?;
        let crop_size = match (crop, fields.optional("crop_size")) {
            (None, None) => None,
            (default, _) => Some(SizeField::read_crop(fields, default.unwrap_or(square(1)))?),
        };
        let tile_side = match (crop_size, target) {
            (Some(crop), _) => crop.height,
            (None, Target::Exact(size)) => size.height,
            (None, Target::Shortest(side)) => side,
        };
        if is_cropped && crop_size.is_none() {
            let problem = "is missing, and do_center_crop is true".to_owned();
            return Err(fields.wrong("crop_size", problem));
        }
        let sizes = pinpoints(fields, sizes)?;
        let pinpoints = Self {
            sizes,
            target,
            filter,
            tile_side,
            is_resized,
            crop: crop_size.filter(|_| is_cropped),
            is_whole_beside_others,
        };
        // All pictures must have one size in the end.
        let tile = pinpoints.picture_size(square(tile_side));
        let whole = pinpoints.picture_size(pinpoints.whole_size());
        if tile != whole {
            let problem = format!("makes tiles of {tile} pixels, but of the whole image {whole}");
            return Err(fields.wrong("size", problem));
        }
        let unfit = |size: &&Size| {
            !size.width.is_multiple_of(tile_side) || !size.height.is_multiple_of(tile_side)
        };
        if let Some(size) = pinpoints.sizes.iter().find(unfit) {
            let problem = format!("names {size} pixels, which tiles of {tile_side} do not fill");
            return Err(fields.wrong("image_grid_pinpoints", problem));
        }
        Ok((Arrangement::Pinpoints(pinpoints), numbers))
    }

    /// What the whole image is resized to before it is treated as a tile.
    fn whole_size(&self) -> Size {
        match self.target {
            Target::Exact(size) => size,
            Target::Shortest(side) => square(side),
        }
    }

    /// The size of a picture that is resized and cut as tiles are.
    fn picture_size(&self, from: Size) -> Size {
        let resized = if self.is_resized { self.target.of(from) } else { from };
        self.crop.unwrap_or(resized)
    }

    fn picture(&self, tile: &Pixels) -> Result<Pixels, ImageError> {
        let resized = if self.is_resized {
            tile.resized(self.target.of(tile.size()), self.filter)?
        } else {
            tile.clone()
        };
        self.crop.map_or(Ok(resized.clone()), |crop| middle(&resized, crop))
    }

    pub(super) fn process(
        &self,
        image: &Pixels,
        images_of_prompt: usize,
        numbers: &Normalization,
    ) -> Result<ProcessedImage, ImageError> {
        let Size { width, height } = image.size();
        if self.is_whole_beside_others && images_of_prompt > 1 {
            let picture = self.picture(&squared(image, numbers.mean_colour())?)?;
            let layout = Layout::WholeThenTiles { rows: 0, columns: 0, height, width };
            return Ok(numbers.pictures(&[picture], layout));
        }
        let best = best_fit(image.size(), &self.sizes);
        let inside = fitted(image.size(), best);
        let resized = image.resized(inside, self.filter)?;
        let (left, top) = ((best.width - inside.width) / 2, (best.height - inside.height) / 2);
        let canvas = resized.window(-left.cast_signed(), -top.cast_signed(), best, [0; 3])?;
        let mut pictures = vec![self.picture(&image.resized(self.whole_size(), self.filter)?)?];
        for tile in canvas.tiles(square(self.tile_side)) {
            pictures.push(self.picture(&tile)?);
        }
        let (rows, columns) = (best.height / self.tile_side, best.width / self.tile_side);
        Ok(numbers.pictures(&pictures, Layout::WholeThenTiles { rows, columns, height, width }))
    }
}

/// `image_grid_pinpoints`: heights and widths.
fn pinpoints(fields: &mut Fields<'_>, default: Vec<Size>) -> Result<Vec<Size>, ProcessorError> {
    const NAME: &str = "image_grid_pinpoints";
    let Some(value) = fields.value(NAME)? else { return Ok(default) };
    let size = |pair: &Value| match pair.as_array()?.as_slice() {
        [height, width] => {
            let size = Size { width: count(width)?, height: count(height)? };
            (size.pixels() <= crate::image::MOST_PIXELS).then_some(size)
        }
        _ => None,
    };
    let sizes =
        value.as_array().and_then(|pairs| pairs.iter().map(size).collect::<Option<Vec<_>>>());
    let sizes = sizes.filter(|sizes| (1..=MOST_PINPOINTS).contains(&sizes.len()));
    sizes.ok_or_else(|| fields.wrong(NAME, "must be a list of [height, width]".to_owned()))
}

/// The size in which most of the image's pixels are kept and, of these, least is wasted; of equals the first.
fn best_fit(image: Size, sizes: &[Size]) -> Size {
    let mut best = (0, usize::MAX, Size { width: 0, height: 0 });
    for size in sizes {
        let scale =
            (size.width as f64 / image.width as f64).min(size.height as f64 / image.height as f64);
        let [width, height] =
            [image.width, image.height].map(|side| (side as f64 * scale) as usize);
        let kept = (width * height).min(image.pixels());
        let wasted = size.pixels() - kept;
        if kept > best.0 || (kept == best.0 && wasted < best.1) {
            best = (kept, wasted, *size);
        }
    }
    best.2
}

/// The largest size of the image's shape inside of another.
fn fitted(image: Size, inside: Size) -> Size {
    let across = inside.width as f64 / image.width as f64;
    let down = inside.height as f64 / image.height as f64;
    let side =
        |side: usize, scale: f64, most: usize| ((side as f64 * scale).ceil() as usize).min(most);
    if across < down {
        Size { width: inside.width, height: side(image.height, across, inside.height) }
    } else {
        Size { width: side(image.width, down, inside.width), height: inside.height }
    }
}

/// The image in the middle of a square of a colour.
fn squared(image: &Pixels, colour: [u8; 3]) -> Result<Pixels, ImageError> {
    let Size { width, height } = image.size();
    let side = width.max(height);
    let (left, top) = ((side - width) / 2, (side - height) / 2);
    image.window(-left.cast_signed(), -top.cast_signed(), square(side), colour)
}
