//! Images in other sizes, to the bit as Pillow makes them.
//!
//! The algorithm is that of Pillow's `Resample.c`: first along rows, then along columns, each time rounded to 8 bits; columns first where many more
//! rows are lost than columns. Weights are made in f64, divided by their sum and rounded to 22 bits behind the point; what is above or below all
//! levels is cut. Filters other than the nearest pixel reach farther where an image becomes smaller. `fast_image_resize` uses fewer bits, so it is
//! not used.
//!
//! PyTorch, which torchvision resizes with, does the same in a narrower type ([`Rounding::Torch`]). Processors that exist for it alone
//! follow it.

use std::fmt;

use super::{Filter, ImageError, MOST_PIXELS};

/// The sides of an image in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// Pixels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Size {
    /// Pixels in all, or `usize::MAX` where they are not countable.
    pub fn pixels(self) -> usize {
        self.width.saturating_mul(self.height)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} × {}", self.width, self.height)
    }
}

/// Most bits behind the point of a weight: 32, less 8 of a level and 2 for sums above and below all levels.
const MOST_WEIGHT_BITS: u32 = 32 - 8 - 2;

/// Whose weights and order of passes are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    /// 22 bits, and columns first where that is less work.
    Pillow,
    /// As many bits as the largest weight leaves in a number of 16, and always rows first. To the bit with filters without negative
    /// weights.
    Torch,
}

/// `levels`, `(height, width, CHANNELS)`, in another size. Each channel is resized by itself.
///
/// Pillow resizes images with transparency with their colours multiplied by it; that is the caller's to do.
///
/// # Errors
/// [`ImageError::Resizing`] where the new image, or the one between both passes, has more than [`MOST_PIXELS`], or no pixels.
///
/// # Panics
/// If there are not as many levels as `from` says.
pub fn resize<const CHANNELS: usize>(
    levels: &[u8],
    from: Size,
    to: Size,
    filter: Filter,
) -> Result<Vec<u8>, ImageError> {
    resize_rounded::<CHANNELS>(levels, from, to, filter, Rounding::Pillow)
}

/// The same with another rounding.
pub(super) fn resize_rounded<const CHANNELS: usize>(
    levels: &[u8],
    from: Size,
    to: Size,
    filter: Filter,
    rounding: Rounding,
) -> Result<Vec<u8>, ImageError> {
    assert_eq!(levels.len(), from.pixels() * CHANNELS, "levels of {from} pixels");
    // Pillow's condition, in pixels that each side loses.
    let lost = |from: usize, to: usize| from as f64 - to as f64;
    let lost_rows = lost(from.height, to.height);
    let is_columns_first = rounding == Rounding::Pillow
        && lost_rows > 0.0
        && lost_rows > 2.0 * lost(from.width, to.width);
    let between = if is_columns_first {
        Size { width: from.width, height: to.height }
    } else {
        Size { width: to.width, height: from.height }
    };
    let most = between.pixels().max(to.pixels());
    if most > MOST_PIXELS || to.pixels() == 0 {
        return Err(ImageError::Resizing { from, to, most_pixels: MOST_PIXELS });
    }
    if from == to {
        return Ok(levels.to_vec());
    }
    if filter == Filter::Nearest {
        return Ok(nearest::<CHANNELS>(levels, from, to));
    }
    let across = |levels: &[u8]| {
        let windows = Windows::new(from.width, to.width, filter, rounding);
        along_rows::<CHANNELS>(levels, from.width, &windows)
    };
    let down = |levels: &[u8], width: usize| {
        let windows = Windows::new(from.height, to.height, filter, rounding);
        along_columns(levels, width * CHANNELS, &windows)
    };
    Ok(match (from.width == to.width, from.height == to.height) {
        (true, _) => down(levels, to.width),
        (_, true) => across(levels),
        _ if is_columns_first => across(&down(levels, from.width)),
        _ => down(&across(levels), to.width),
    })
}

/// Which pixels along a side each pixel of the new side is made of.
struct Windows {
    /// The first of them, and how many.
    bounds: Vec<(usize, usize)>,
    /// Their weights, one window after the other.
    weights: Vec<i32>,
    /// Bits behind the point of a weight.
    bits: u32,
}

impl Windows {
    fn new(from: usize, to: usize, filter: Filter, rounding: Rounding) -> Self {
        let scale = from as f64 / to as f64;
        let widening = scale.max(1.0);
        let reach = filter.reach() * widening;
        let (mut bounds, mut shares) = (Vec::with_capacity(to), Vec::new());
        let mut window = Vec::new();
        for at in 0..to {
            let middle = (at as f64 + 0.5) * scale;
            // A cast to a whole number drops what is behind the point, and what is below 0 is 0.
            let first = (middle - reach + 0.5) as usize;
            let end = ((middle + reach + 0.5) as usize).min(from);
            window.clear();
            window.extend(
                (first..end)
                    .map(|pixel| filter.weight((pixel as f64 - middle + 0.5) * (1.0 / widening))),
            );
            let sum: f64 = window.iter().sum();
            bounds.push((first, window.len()));
            let share = |weight: &f64| if sum == 0.0 { *weight } else { weight / sum };
            shares.extend(window.iter().map(share));
        }
        let bits = match rounding {
            Rounding::Pillow => MOST_WEIGHT_BITS,
            Rounding::Torch => bits_of_16(shares.iter().copied().fold(0.0, f64::max)),
        };
        let weight = |share: &f64| {
            let scaled = share * f64::from(1 << bits);
            (scaled + if *share < 0.0 { -0.5 } else { 0.5 }) as i32
        };
        Self { bounds, weights: shares.iter().map(weight).collect(), bits }
    }

    /// First pixel and weights of each window.
    fn iter(&self) -> impl Iterator<Item = (usize, &[i32])> {
        let mut rest = self.weights.as_slice();
        self.bounds.iter().map(move |(first, count)| {
            let (weights, after) = rest.split_at(*count);
            rest = after;
            (*first, weights)
        })
    }

    /// Half of a level, which rounds.
    fn half(&self) -> i32 {
        1 << (self.bits - 1)
    }
}

/// Bits behind the point with which a weight still fits 16 bits with a sign.
fn bits_of_16(weight: f64) -> u32 {
    let fits = |bits: &u32| ((weight * f64::from(1 << bits) + 0.5) as i32) < 1 << 15;
    (1..=MOST_WEIGHT_BITS).take_while(fits).last().unwrap_or(1)
}

fn level(sum: i32, bits: u32) -> u8 {
    (sum >> bits).clamp(0, 255) as u8
}

/// Each row in its new width.
fn along_rows<const CHANNELS: usize>(levels: &[u8], width: usize, windows: &Windows) -> Vec<u8> {
    let rows = levels.len() / (width * CHANNELS);
    let mut output = Vec::with_capacity(rows * windows.bounds.len() * CHANNELS);
    for row in levels.chunks_exact(width * CHANNELS) {
        let (pixels, _) = row.as_chunks::<CHANNELS>();
        for (first, weights) in windows.iter() {
            let mut sums = [windows.half(); CHANNELS];
            for (pixel, weight) in pixels[first..].iter().zip(weights) {
                for (sum, level) in sums.iter_mut().zip(pixel) {
                    *sum += i32::from(*level) * weight;
                }
            }
            output.extend(sums.map(|sum| level(sum, windows.bits)));
        }
    }
    output
}

/// Rows in their new number; each has so many bytes.
fn along_columns(levels: &[u8], row_bytes: usize, windows: &Windows) -> Vec<u8> {
    let mut output = Vec::with_capacity(windows.bounds.len() * row_bytes);
    let mut sums = vec![windows.half(); row_bytes];
    for (first, weights) in windows.iter() {
        sums.fill(windows.half());
        let rows = levels[first * row_bytes..].chunks_exact(row_bytes);
        for (row, weight) in rows.zip(weights) {
            for (sum, level) in sums.iter_mut().zip(row) {
                *sum += i32::from(*level) * weight;
            }
        }
        output.extend(sums.iter().map(|sum| level(*sum, windows.bits)));
    }
    output
}

/// Each pixel is the one below its middle. The steps are added up in f64, one after the other, as in Pillow's `Geometry.c`.
fn nearest<const CHANNELS: usize>(levels: &[u8], from: Size, to: Size) -> Vec<u8> {
    let places = |from: usize, to: usize| {
        let step = from as f64 / to as f64;
        let next = move |place: &f64| Some(*place + step);
        std::iter::successors(Some(step * 0.5), next).map(|place| place as usize).take(to)
    };
    let columns: Vec<usize> = places(from.width, to.width).collect();
    let mut output = Vec::with_capacity(to.pixels() * CHANNELS);
    for y in places(from.height, to.height) {
        for x in &columns {
            // Sums of many steps may end a hair beyond the image; there Pillow leaves black.
            let is_inside = *x < from.width && y < from.height;
            let first = (y * from.width + x) * CHANNELS;
            match levels.get(first..first + CHANNELS).filter(|_| is_inside) {
                Some(pixel) => output.extend_from_slice(pixel),
                None => output.extend([0; CHANNELS]),
            }
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILTERS: [Filter; 6] = [
        Filter::Nearest,
        Filter::Lanczos,
        Filter::Bilinear,
        Filter::Bicubic,
        Filter::Box,
        Filter::Hamming,
    ];

    #[test]
    fn an_even_image_stays_even() {
        for filter in FILTERS {
            for (from, to) in
                [((1, 1), (7, 5)), ((9, 4), (1, 1)), ((13, 7), (5, 29)), ((300, 2), (7, 2))]
            {
                let [from, to] = [from, to].map(|(width, height)| Size { width, height });
                let levels = [7, 130, 255].repeat(from.pixels());
                let resized = resize::<3>(&levels, from, to, filter).unwrap();
                assert_eq!(resized, [7, 130, 255].repeat(to.pixels()), "{filter:?} {from} → {to}");
            }
        }
    }

    #[test]
    fn weights_of_16_bits_are_those_of_torch() {
        // torch.nn.functional.interpolate of a row of bytes, bilinear, with antialias. Pillow has another level in one place.
        let levels: Vec<u8> = (0..33).map(|at| (at * at * 7 % 256) as u8).collect();
        let [from, to] = [33, 9].map(|width| Size { width, height: 1 });
        let resized =
            |rounding| resize_rounded::<1>(&levels, from, to, Filter::Bilinear, rounding).unwrap();
        let torch = resized(Rounding::Torch);
        assert_eq!(torch, [30, 147, 136, 147, 109, 172, 104, 161, 114]);
        let pillow = resized(Rounding::Pillow);
        let is_other = |place: &usize| torch[*place] != pillow[*place];
        assert_eq!((0..9).filter(is_other).collect::<Vec<_>>(), [3]);
        assert_eq!([bits_of_16(1.0), bits_of_16(0.25)], [14, 16]);
    }

    #[test]
    fn sizes_that_would_fill_the_memory_are_refused() {
        let levels = vec![0; 30_000 * 3];
        let line = Size { width: 1, height: 30_000 };
        for to in [(5_000, 29_999), (0, 3), (usize::MAX, 2), (100_000, 100_000)] {
            let to = Size { width: to.0, height: to.1 };
            let refusal = resize::<3>(&levels, line, to, Filter::Bicubic).unwrap_err();
            assert_eq!(refusal, ImageError::Resizing { from: line, to, most_pixels: MOST_PIXELS });
        }
    }
}
