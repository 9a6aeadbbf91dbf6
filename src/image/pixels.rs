//! An image whose levels are known.

use std::{borrow::Cow, fmt};

use super::resize::{Rounding, resize_rounded};
use super::{Filter, ImageError, MOST_PIXELS, Size, resize};

/// An upright image: red, green and blue in 8 bits, pixel by pixel, row by row.
///
/// No side is 0.
#[derive(Clone, PartialEq, Eq)]
pub struct Pixels {
    size: Size,
    levels: Vec<u8>,
    transparent: Option<[u8; CHANNELS]>,
    loss: Option<Loss>,
}

/// What is lost where levels become red, green and blue in 8 bits, as Pillow and transformers lose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Gray above 255 of 16 bits became 255, so that what it told apart is white.
    Levels,
    /// Pixels that are not opaque show the colour that is stored for them.
    Transparency,
}

/// Bytes of a pixel.
const CHANNELS: usize = 3;

impl Pixels {
    /// Takes `height × width × 3` levels, or nothing where there are more, fewer or none.
    pub fn new(size: Size, levels: Vec<u8>) -> Option<Self> {
        let expected = size.width.checked_mul(size.height)?.checked_mul(CHANNELS)?;
        (expected > 0 && levels.len() == expected).then_some(Self {
            size,
            levels,
            transparent: None,
            loss: None,
        })
    }

    /// Its sides.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The levels, `(height, width, 3)`.
    pub fn levels(&self) -> &[u8] {
        &self.levels
    }

    /// The colour that the file calls transparent, though its pixels have it as any other: see [`super::ImageProcessor::process`].
    pub fn transparent(&self) -> Option<[u8; 3]> {
        self.transparent
    }

    /// What the file has and the levels do not.
    pub fn loss(&self) -> Option<Loss> {
        self.loss
    }

    pub(super) fn with_loss(self, loss: Option<Loss>) -> Self {
        Self { loss, ..self }
    }

    /// A transparent colour is seen as white, and nothing is lost.
    pub(super) fn with_transparent(self, transparent: Option<[u8; CHANNELS]>) -> Self {
        let loss = if transparent.is_some() { None } else { self.loss };
        Self { transparent, loss, ..self }
    }

    /// The image with white in the place of the transparent colour.
    pub(super) fn over_white(&self) -> Cow<'_, Self> {
        let Some(transparent) = self.transparent else { return Cow::Borrowed(self) };
        let mut image = Self { transparent: None, ..self.clone() };
        let (pixels, _) = image.levels.as_chunks_mut::<CHANNELS>();
        for pixel in pixels.iter_mut().filter(|pixel| **pixel == transparent) {
            *pixel = [255; CHANNELS];
        }
        Cow::Owned(image)
    }

    /// The image in another size, as Pillow's `Image.resize` makes it.
    ///
    /// # Errors
    /// [`ImageError::Resizing`] where it takes too many pixels.
    pub fn resized(&self, to: Size, filter: Filter) -> Result<Self, ImageError> {
        let levels = resize::<CHANNELS>(&self.levels, self.size, to, filter)?;
        Ok(Self { size: to, levels, transparent: None, loss: None })
    }

    /// The same as PyTorch makes it.
    pub(super) fn resized_as_torch(&self, to: Size, filter: Filter) -> Result<Self, ImageError> {
        let levels =
            resize_rounded::<CHANNELS>(&self.levels, self.size, to, filter, Rounding::Torch)?;
        Ok(Self { size: to, levels, transparent: None, loss: None })
    }

    /// The part of `size` whose upper left corner is so far from that of the image. It may go beyond the image on every side; what is
    /// there has the given colour.
    ///
    /// # Errors
    /// [`ImageError::Resizing`] where it has more than [`MOST_PIXELS`].
    pub(super) fn window(
        &self,
        left: isize,
        top: isize,
        size: Size,
        colour: [u8; CHANNELS],
    ) -> Result<Self, ImageError> {
        if size.pixels() > MOST_PIXELS {
            return Err(ImageError::Resizing {
                from: self.size,
                to: size,
                most_pixels: MOST_PIXELS,
            });
        }
        Ok(self.part(left, top, size, colour))
    }

    fn part(&self, left: isize, top: isize, size: Size, colour: [u8; CHANNELS]) -> Self {
        let mut levels = colour.repeat(size.width * size.height);
        let (columns, offset) = shared(left, self.size.width, size.width);
        for (y, row) in levels.chunks_exact_mut(size.width * CHANNELS).enumerate() {
            let from =
                usize::try_from(top + y.cast_signed()).ok().filter(|y| *y < self.size.height);
            let Some(from) = from else { continue };
            let first = (from * self.size.width + columns.start) * CHANNELS;
            let bytes = columns.len() * CHANNELS;
            row[offset * CHANNELS..][..bytes].copy_from_slice(&self.levels[first..][..bytes]);
        }
        Self { size, levels, transparent: None, loss: None }
    }

    /// Tiles of one size, row by row; the image is as large as they are together.
    pub(super) fn tiles(&self, tile: Size) -> impl Iterator<Item = Self> {
        let tops = (0..self.size.height).step_by(tile.height);
        let lefts = move || (0..self.size.width).step_by(tile.width);
        tops.flat_map(move |top| lefts().map(move |left| (left, top))).map(move |(left, top)| {
            self.part(left.cast_signed(), top.cast_signed(), tile, [0; CHANNELS])
        })
    }
}

/// Which of `there` columns a window of `wanted` columns from `first` on shows, and how far from its own left side.
fn shared(first: isize, there: usize, wanted: usize) -> (std::ops::Range<usize>, usize) {
    let offset = usize::try_from(-first).unwrap_or(0).min(wanted);
    let start = usize::try_from(first).unwrap_or(0).min(there);
    let end = (start + wanted - offset).min(there);
    (start..end, offset)
}

impl fmt::Debug for Pixels {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Pixels({})", self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(width: usize, height: usize) -> Pixels {
        let levels = (0..width * height).flat_map(|at| [at as u8, 100, 200]).collect();
        Pixels::new(Size { width, height }, levels).unwrap()
    }

    fn reds(pixels: &Pixels) -> Vec<u8> {
        pixels.levels().chunks(3).map(|pixel| pixel[0]).collect()
    }

    #[test]
    fn levels_that_do_not_fill_the_size_are_no_pixels() {
        let two = Size { width: 2, height: 1 };
        assert!(Pixels::new(two, vec![0; 6]).is_some());
        assert!(Pixels::new(two, vec![0; 5]).is_none());
        assert!(Pixels::new(Size { width: 0, height: 1 }, Vec::new()).is_none());
        let vast = Size { width: usize::MAX, height: 2 };
        assert!(Pixels::new(vast, vec![0; 6]).is_none());
    }

    #[test]
    fn a_window_may_go_beyond_the_image() {
        let image = numbered(3, 2);
        let three = Size { width: 3, height: 3 };
        let window = |left, top| reds(&image.window(left, top, three, [9; 3]).unwrap());
        assert_eq!(window(0, 0), [0, 1, 2, 3, 4, 5, 9, 9, 9]);
        assert_eq!(window(-1, -1), [9, 9, 9, 9, 0, 1, 9, 3, 4]);
        assert_eq!(window(2, 1), [5, 9, 9, 9, 9, 9, 9, 9, 9]);
        assert_eq!(window(7, -7), [9; 9]);
        assert_eq!(window(-7, 7), [9; 9]);
        let vast = Size { width: 100_000, height: 100_000 };
        assert!(image.window(0, 0, vast, [9; 3]).is_err());
    }

    #[test]
    fn tiles_stand_row_by_row() {
        let tiles = numbered(4, 2)
            .tiles(Size { width: 2, height: 1 })
            .map(|tile| reds(&tile))
            .collect::<Vec<_>>();
        assert_eq!(tiles, [[0, 1], [2, 3], [4, 5], [6, 7]]);
    }
}
