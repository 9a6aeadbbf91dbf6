//! Tiles of an image put together again: without what pads them, shrunk where they would be too many tokens, and with a learned row
//! behind every row of patches.
//!
//! How many tokens that makes is computed here alone, for prompts as for rows.

use candle_core::{DType, Result, Tensor};

use super::prefix;
use crate::image::{Layout, ProcessedImage};
use crate::model::{error::ModelError, weights::ParameterSource};

/// Above this ratio of sides, more patches than there may be are shrunk.
const SHRUNK_FROM: f64 = 1.1;

/// How tiles become tokens.
#[derive(Debug)]
pub(super) struct Mosaic {
    /// Patches along a side of a tile.
    grid: usize,
    /// As many tiles as the patches of an image may fill, if there is a limit.
    most_tiles: Option<usize>,
    /// The row behind every row of patches.
    newline: Tensor,
}

/// Patches of all tiles together that show an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    top: usize,
    left: usize,
    height: usize,
    width: usize,
}

impl Mosaic {
    /// Takes the row of `size` numbers behind rows of patches.
    pub(super) fn load(
        source: &dyn ParameterSource,
        grid: usize,
        most_tiles: Option<usize>,
        size: usize,
    ) -> std::result::Result<Self, ModelError> {
        let prefix = prefix(source, &["model.", ""], "image_newline");
        let newline = source.parameter(&format!("{prefix}image_newline"), &[size])?;
        Ok(Self { grid, most_tiles, newline })
    }

    /// Tokens of an image, the whole one's included.
    pub(super) fn tokens(&self, image: &ProcessedImage) -> Result<usize> {
        let whole = self.grid * self.grid;
        Ok(match self.shape(image)? {
            None => whole + 1,
            Some((_, (height, width))) => whole + height * (width + 1),
        })
    }

    /// The rows of an image of which the tower gave `pictures`, `(1 + tiles, grid², size)`: those of the whole image, then those of its tiles.
    pub(super) fn rows(&self, image: &ProcessedImage, pictures: &Tensor) -> Result<Tensor> {
        let whole = pictures.get(0)?;
        let size = whole.dim(1)?;
        let newline = self.newline.reshape((1, size))?;
        let (Some((window, (height, width))), Layout::WholeThenTiles { rows, columns, .. }) =
            (self.shape(image)?, &image.layout)
        else {
            return Tensor::cat(&[whole, newline], 0);
        };
        if height == 0 {
            return Ok(whole);
        }
        let newlines = newline.reshape((1, 1, size))?.broadcast_as((height, 1, size))?;
        let lines = if width == 0 {
            newlines.contiguous()?
        } else {
            let tiles = pictures.narrow(0, 1, rows * columns)?;
            let patches = joined(&tiles, *rows, *columns, self.grid)?
                .narrow(0, window.top, window.height)?
                .narrow(1, window.left, window.width)?;
            Tensor::cat(&[resized(&patches, height, width)?, newlines], 1)?
        };
        Tensor::cat(&[whole, lines.reshape((height * (width + 1), size))?], 0)
    }

    /// Tokens of so many frames of a video.
    pub(super) fn tokens_of_frames(&self, frames: usize) -> usize {
        let half = self.grid.div_ceil(2);
        frames * half * half + 1
    }

    /// The rows of a video of which the tower gave `frames`, each `(1, grid², size)`: their patches in half as many rows and columns, and
    /// the learned row once, at the end.
    pub(super) fn rows_of_frames(&self, frames: &[Tensor]) -> Result<Tensor> {
        let (size, half) = (self.newline.dim(0)?, self.grid.div_ceil(2));
        let shrunk = |frame: &Tensor| {
            let patches = frame.reshape((self.grid, self.grid, size))?;
            resized(&patches, half, half)?.reshape((half * half, size))
        };
        let mut rows = frames.iter().map(shrunk).collect::<Result<Vec<_>>>()?;
        rows.push(self.newline.reshape((1, size))?);
        Tensor::cat(&rows, 0)
    }

    /// Which patches show the image, and the rows and columns that they become; none where there are no tiles.
    fn shape(&self, image: &ProcessedImage) -> Result<Option<(Window, (usize, usize))>> {
        let pictures = image.shape.first().copied().unwrap_or(0);
        let (tiles, height, width) = match image.layout {
            Layout::WholeThenTiles { rows, columns, height, width }
                if pictures == 1 + rows * columns && height > 0 && width > 0 =>
            {
                ((rows, columns), height, width)
            }
            ref layout => candle_core::bail!(
                "this model sees the whole image and then its tiles, and its image processor makes {layout}; \
                 the preprocessor_config.json is of another model"
            ),
        };
        if pictures == 1 {
            return Ok(None);
        }
        let window = shown((tiles.0 * self.grid, tiles.1 * self.grid), (height, width));
        let shape = (window.height, window.width);
        let shape = match self.most_tiles {
            Some(most) => shrunk(shape, most * self.grid * self.grid),
            None => shape,
        };
        Ok(Some((window, shape)))
    }
}

/// The part of `canvas` that an image fills which was put into its middle in its own shape; both are heights and widths.
fn shown(canvas: (usize, usize), image: (usize, usize)) -> Window {
    let [canvas_height, canvas_width, height, width] =
        [canvas.0, canvas.1, image.0, image.1].map(|side| side as f64);
    let mut window = Window { top: 0, left: 0, height: canvas.0, width: canvas.1 };
    if width / height > canvas_width / canvas_height {
        let filled = whole_part(height * (canvas_width / width));
        window.top = canvas.0.saturating_sub(filled) / 2;
        window.height -= 2 * window.top;
    } else {
        let filled = whole_part(width * (canvas_height / height));
        window.left = canvas.1.saturating_sub(filled) / 2;
        window.width -= 2 * window.left;
    }
    window
}

/// A number without its fraction, after it was rounded to seven decimals: 26.99999999 is 27.
fn whole_part(number: f64) -> usize {
    // Decimals that are printed are rounded as Python's `round` does: exactly, and ties to even.
    format!("{number:.7}").parse::<f64>().map_or(0, |rounded| rounded as usize)
}

/// Rows and columns of the same shape, so that there are about `most`, if there are clearly more.
fn shrunk((height, width): (usize, usize), most: usize) -> (usize, usize) {
    let ratio = ((height * width) as f64 / most as f64).sqrt();
    if ratio > SHRUNK_FROM {
        (floor_quotient(height, ratio), floor_quotient(width, ratio))
    } else {
        (height, width)
    }
}

/// `dividend // divisor` as Python has it: of the exact quotient, where a rounded one might reach the next whole number.
fn floor_quotient(dividend: usize, divisor: f64) -> usize {
    let dividend = dividend as f64;
    let quotient = (dividend - dividend % divisor) / divisor;
    let floor = quotient.floor();
    (if quotient - floor > 0.5 { floor + 1.0 } else { floor }) as usize
}

/// Tiles `(rows × columns, grid², size)` beside and below one another, `(rows × grid, columns × grid, size)`.
fn joined(tiles: &Tensor, rows: usize, columns: usize, grid: usize) -> Result<Tensor> {
    let size = tiles.dim(2)?;
    let lines = tiles.reshape((rows, columns, grid, grid * size))?.transpose(1, 2)?;
    lines.contiguous()?.reshape((rows * grid, columns * grid, size))
}

/// `(rows, columns, size)` in another number of rows and columns, between the nearest two along each axis.
fn resized(patches: &Tensor, height: usize, width: usize) -> Result<Tensor> {
    if patches.dims3()? == (height, width, patches.dim(2)?) {
        return patches.contiguous();
    }
    // Shares of half precision would move patches.
    let wide = patches.to_dtype(DType::F32)?.contiguous()?;
    between(&between(&wide, 1, width)?, 0, height)?.to_dtype(patches.dtype())
}

/// An axis in another length: `interpolate` of PyTorch, bilinear, without aligned corners.
fn between(patches: &Tensor, axis: usize, length: usize) -> Result<Tensor> {
    let old = patches.dim(axis)?;
    let scale = old as f32 / length as f32;
    let last = old.saturating_sub(1);
    let places = (0..length).map(|place| {
        let place = (scale * (place as f32 + 0.5) - 0.5).max(0.0);
        let first = (place as usize).min(last);
        (first as u32, (first + 1).min(last) as u32, place - first as f32)
    });
    let (mut firsts, mut seconds, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for (first, second, share) in places {
        firsts.push(first);
        seconds.push(second);
        shares.push(share);
    }
    let device = patches.device();
    let mut shape = [1; 3];
    shape[axis] = length;
    let shares = Tensor::from_vec(shares, &shape, device)?;
    let part = |places: Vec<u32>, shares: &Tensor| {
        let places = Tensor::from_vec(places, length, device)?;
        patches.index_select(&places, axis)?.broadcast_mul(shares)
    };
    part(firsts, &shares.affine(-1.0, 1.0)?)? + part(seconds, &shares)?
}

#[cfg(test)]
mod tests;
