//! The whole image, and tiles of it with a mask of what is padding: Phi-4-multimodal.
//!
//! Its class has no Pillow backend: levels of the tiles are torchvision's. The whole image is made of numbers, as there, without a
//! filter that reaches farther when an image becomes smaller.

use super::{
    Arrangement, Read,
    fields::Fields,
    normalization::{HALF, Normalization},
    size_field::{SizeField, square},
    tiled::nearest_grid,
};
use crate::image::{Filter, ImageError, Layout, Pixels, ProcessedImage, Size};

/// How large tiles are, and how many there may be.
#[derive(Clone, Debug)]
pub(super) struct HighDefinition {
    tile_side: usize,
    patch_side: usize,
    most_tiles: usize,
}

/// Most tiles of an image that settings may ask for.
const MOST_TILES: usize = 256;

/// The shortest side that a resized image may have.
const SHORTEST: usize = 10;

impl HighDefinition {
    /// `Phi4MultimodalImageProcessor`.
    pub(super) fn read(fields: &mut Fields<'_>) -> Read {
        let numbers = Normalization::read_fused(fields, HALF, HALF)?;
        fields.only("do_resize", true)?;
        fields.only("do_center_crop", false)?;
        fields.only("do_pad", false)?;
        if fields.filter(Filter::Bicubic)? != Filter::Bicubic {
            return Err(fields.wrong("resample", "must be 3, bicubic, in this class".to_owned()));
        }
        let tile = SizeField::read_exact(fields, "size", square(448))?;
        if tile.width != tile.height {
            return Err(fields.wrong("size", "must have equal sides in this class".to_owned()));
        }
        let definition = Self {
            tile_side: tile.width,
            patch_side: fields.count("patch_size")?.unwrap_or(14),
            most_tiles: fields.count("dynamic_hd")?.unwrap_or(36),
        };
        if definition.most_tiles > MOST_TILES {
            let problem =
                format!("is {}; at most {MOST_TILES} tiles are made", definition.most_tiles);
            return Err(fields.wrong("dynamic_hd", problem));
        }
        if definition.patch_side > definition.tile_side {
            return Err(fields.wrong("patch_size", "is larger than `size`".to_owned()));
        }
        Ok((Arrangement::HighDefinition(definition), numbers))
    }

    pub(super) fn process(
        &self,
        image: &Pixels,
        numbers: &Normalization,
    ) -> Result<ProcessedImage, ImageError> {
        let size = image.size();
        let (columns, rows) = self.grid(size);
        let canvas = Size { width: columns * self.tile_side, height: rows * self.tile_side };
        let inside = fitted(size, canvas);
        if inside.width < SHORTEST || inside.height < SHORTEST {
            let problem = format!("it would have {inside} in {canvas}; cut the image");
            return Err(ImageError::Unfit { size, problem });
        }
        let shown =
            image.resized_as_torch(inside, Filter::Bilinear)?.window(0, 0, canvas, [255; 3])?;
        let mut canvas_values = Vec::new();
        numbers.append(&shown, &mut canvas_values);
        let mut values = resampled(&canvas_values, canvas, self.tile_side);
        for tile in shown.tiles(square(self.tile_side)) {
            numbers.append(&tile, &mut values);
        }
        let (is_image, tokens) = self.mask(rows, columns, canvas, inside);
        let shape = vec![1 + rows * columns, 3, self.tile_side, self.tile_side];
        Ok(ProcessedImage {
            values,
            shape,
            layout: Layout::Masked { rows, columns, is_image, tokens },
        })
    }

    /// Columns and rows: as many as the image fills, or those of the nearest shape.
    fn grid(&self, size: Size) -> (usize, usize) {
        let (columns, rows) =
            (size.width.div_ceil(self.tile_side), size.height.div_ceil(self.tile_side));
        if columns.saturating_mul(rows) <= self.most_tiles {
            return (columns, rows);
        }
        nearest_grid(size, self.tile_side * self.tile_side, 1, self.most_tiles)
    }

    /// Which patches of all pictures show the image, and the tokens that it takes.
    fn mask(&self, rows: usize, columns: usize, canvas: Size, inside: Size) -> (Vec<bool>, usize) {
        let along = self.tile_side / self.patch_side;
        let shown = |tiles: usize, canvas: usize, inside: usize| {
            tiles * along - ((canvas - inside) / self.patch_side).min(tiles * along)
        };
        let shown_rows = shown(rows, canvas.height, inside.height);
        let shown_columns = shown(columns, canvas.width, inside.width);
        let mut is_image = vec![true; along * along];
        let (mut counted, mut counted_rows) = (0, 0);
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)))
        {
            for (y, x) in (0..along).flat_map(|y| (0..along).map(move |x| (y, x))) {
                let is_shown = row * along + y < shown_rows && column * along + x < shown_columns;
                is_image.push(is_shown);
                // Every other patch is a token.
                let is_counted = is_shown && y % 2 == 0 && x % 2 == 0;
                counted += usize::from(is_counted);
                counted_rows += usize::from(is_counted && column == 0 && x == 0);
            }
        }
        // The whole image, what parts it from the tiles, those, the ends of their rows, and the ends of the whole image's.
        (is_image, 256 + 1 + counted + counted_rows + 16)
    }
}

/// The image's size in a canvas that it fills on two sides.
fn fitted(image: Size, canvas: Size) -> Size {
    let across = canvas.width as f64 / image.width as f64;
    let down = canvas.height as f64 / image.height as f64;
    if across < down {
        Size { width: canvas.width, height: (image.height as f64 * across) as usize }
    } else {
        Size { width: (image.width as f64 * down) as usize, height: canvas.height }
    }
}

/// `(3, height, width)` as `(3, side, side)`: cubics with a = −¾ through the four nearest numbers along each axis, as PyTorch's `interpolate` has them.
fn resampled(values: &[f32], size: Size, side: usize) -> Vec<f32> {
    if size == square(side) {
        return values.to_vec();
    }
    let (columns, rows) = (taps(size.width, side), taps(size.height, side));
    let mut output = Vec::with_capacity(3 * side * side);
    for channel in values.chunks_exact(size.pixels()) {
        for (ys, down) in &rows {
            for (xs, across) in &columns {
                let row = |y: usize| summed(xs.map(|x| channel[y * size.width + x]), across);
                output.push(summed(ys.map(row), down));
            }
        }
    }
    output
}

/// Four numbers by their weights, in the order and with the roundings of PyTorch's compiled loop: the second product is rounded, and the others are added
/// to it without being rounded before.
fn summed(values: [f32; 4], weights: &[f32; 4]) -> f32 {
    [0, 2, 3].into_iter().fold(values[1] * weights[1], |sum, tap| {
        (f64::from(values[tap]) * f64::from(weights[tap]) + f64::from(sum)) as f32
    })
}

/// For each place of the new side the four places of the old one, and their weights.
fn taps(from: usize, to: usize) -> Vec<([usize; 4], [f32; 4])> {
    const A: f32 = -0.75;
    let near = |x: f32| ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0;
    let far = |x: f32| ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A;
    let scale = from as f32 / to as f32;
    let taps = (0..to).map(|at| {
        let place = scale * (at as f32 + 0.5) - 0.5;
        let floor = place.floor();
        let rest = place - floor;
        let first = floor as isize - 1;
        let index = [0, 1, 2, 3].map(|tap| (first + tap).clamp(0, from.cast_signed() - 1) as usize);
        (index, [far(rest + 1.0), near(rest), near(1.0 - rest), far(1.0 - rest + 1.0)])
    });
    taps.collect()
}
