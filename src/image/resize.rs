//! Images in other sizes, to the bit as Pillow makes them.
//!
//! The algorithm is that of Pillow's `Resample.c`: first along rows, then along columns, each time rounded to 8 bits; columns first where many more
//! rows are lost than columns. Weights are made in f64, divided by their sum and rounded to 22 bits behind the point; what is above or below all
//! levels is cut. Filters other than the nearest pixel reach farther where an image becomes smaller. `fast_image_resize` uses fewer bits, so it is
//! not used.

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

/// Bits behind the point of a weight: 32, less 8 of a level and 2 for sums above and below all levels.
const WEIGHT_BITS: u32 = 32 - 8 - 2;

/// Half of a level, which rounds.
const HALF: i32 = 1 << (WEIGHT_BITS - 1);

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
    assert_eq!(levels.len(), from.pixels() * CHANNELS, "levels of {from} pixels");
    // Pillow's condition, in pixels that each side loses.
    let lost = |from: usize, to: usize| from as f64 - to as f64;
    let lost_rows = lost(from.height, to.height);
    let is_columns_first = lost_rows > 0.0 && lost_rows > 2.0 * lost(from.width, to.width);
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
        let windows = Windows::new(from.width, to.width, filter);
        along_rows::<CHANNELS>(levels, from.width, &windows)
    };
    let down = |levels: &[u8], width: usize| {
        let windows = Windows::new(from.height, to.height, filter);
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
}

impl Windows {
    fn new(from: usize, to: usize, filter: Filter) -> Self {
        let scale = from as f64 / to as f64;
        let widening = scale.max(1.0);
        let reach = filter.reach() * widening;
        let mut windows = Self { bounds: Vec::with_capacity(to), weights: Vec::new() };
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
            windows.bounds.push((first, window.len()));
            windows.weights.extend(window.iter().map(|weight| {
                let weight = if sum == 0.0 { *weight } else { weight / sum };
                let scaled = weight * f64::from(1 << WEIGHT_BITS);
                (scaled + if weight < 0.0 { -0.5 } else { 0.5 }) as i32
            }));
        }
        windows
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
}

fn level(sum: i32) -> u8 {
    (sum >> WEIGHT_BITS).clamp(0, 255) as u8
}

/// Each row in its new width.
fn along_rows<const CHANNELS: usize>(levels: &[u8], width: usize, windows: &Windows) -> Vec<u8> {
    let rows = levels.len() / (width * CHANNELS);
    let mut output = Vec::with_capacity(rows * windows.bounds.len() * CHANNELS);
    for row in levels.chunks_exact(width * CHANNELS) {
        let (pixels, _) = row.as_chunks::<CHANNELS>();
        for (first, weights) in windows.iter() {
            let mut sums = [HALF; CHANNELS];
            for (pixel, weight) in pixels[first..].iter().zip(weights) {
                for (sum, level) in sums.iter_mut().zip(pixel) {
                    *sum += i32::from(*level) * weight;
                }
            }
            output.extend(sums.map(level));
        }
    }
    output
}

/// Rows in their new number; each has so many bytes.
fn along_columns(levels: &[u8], row_bytes: usize, windows: &Windows) -> Vec<u8> {
    let mut output = Vec::with_capacity(windows.bounds.len() * row_bytes);
    let mut sums = vec![HALF; row_bytes];
    for (first, weights) in windows.iter() {
        sums.fill(HALF);
        let rows = levels[first * row_bytes..].chunks_exact(row_bytes);
        for (row, weight) in rows.zip(weights) {
            for (sum, level) in sums.iter_mut().zip(row) {
                *sum += i32::from(*level) * weight;
            }
        }
        output.extend(sums.iter().map(|sum| level(*sum)));
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
