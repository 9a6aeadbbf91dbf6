//! An image made small enough to be shown to people.

use ::image::{
    ExtendedColorType, ImageEncoder as _, ImageFormat,
    codecs::png::{CompressionType, FilterType, PngEncoder},
};

use super::{Filter, ImageError, Pixels, Size};
use crate::panic_guard::guarded;

/// Longest side of a file that is shown as it is: the pixels of a small file may take much memory.
const MOST_SIDE: usize = 2048;

/// Longest side of a picture that was made smaller.
const SMALL_SIDE: usize = 640;

/// How often an image is made smaller before it is given up.
const MOST_TRIES: usize = 8;

/// A file that people can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thumbnail {
    /// `image/png` or `image/jpeg`.
    pub media_type: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The file of an image if it has at most `most_bytes` and shows nothing but these pixels, else a smaller PNG of them; nothing if that
/// still has more.
///
/// # Errors
/// [`ImageError`] where it cannot be resized or written.
pub fn thumbnail(
    file: &[u8],
    pixels: &Pixels,
    most_bytes: usize,
) -> Result<Option<Thumbnail>, ImageError> {
    let Size { width, height } = pixels.size();
    // Animations are shown as their first frame, as a model sees them: of PNG and JPEG, only PNG has any.
    let media_type = match ::image::guess_format(file) {
        Ok(ImageFormat::Jpeg) => Some("image/jpeg"),
        Ok(ImageFormat::Png) if !file.windows(4).any(|name| name == b"acTL") => Some("image/png"),
        _ => None,
    };
    if let Some(media_type) = media_type
        && file.len() <= most_bytes
        && width.max(height) <= MOST_SIDE
    {
        return Ok(Some(Thumbnail { media_type, bytes: file.to_vec() }));
    }
    let mut share = (SMALL_SIDE as f64 / width.max(height) as f64).min(1.0);
    for _ in 0..MOST_TRIES {
        let side = |pixels: usize| ((pixels as f64 * share).round() as usize).max(1);
        let small = Size { width: side(width), height: side(height) };
        let bytes = png(&pixels.resized(small, Filter::Bicubic)?)?;
        if bytes.len() <= most_bytes {
            return Ok(Some(Thumbnail { media_type: "image/png", bytes }));
        }
        // Bytes go with pixels, or so.
        share *= (most_bytes as f64 / bytes.len() as f64).sqrt().min(0.9) * 0.95;
    }
    Ok(None)
}

/// An image as a PNG.
fn png(pixels: &Pixels) -> Result<Vec<u8>, ImageError> {
    let broken = |problem: String| ImageError::Broken { format: "PNG", problem };
    let side = |pixels: usize| u32::try_from(pixels).map_err(|error| broken(error.to_string()));
    let Size { width, height } = pixels.size();
    let (width, height) = (side(width)?, side(height)?);
    let mut bytes = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, FilterType::Adaptive);
    let work = || encoder.write_image(pixels.levels(), width, height, ExtendedColorType::Rgb8);
    match guarded(work) {
        Ok(Ok(())) => Ok(bytes),
        Ok(Err(error)) => Err(broken(error.to_string())),
        Err(problem) => Err(broken(problem)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{Transparency, decode};

    /// Pixels that no PNG makes much smaller.
    fn noise(width: usize, height: usize) -> Pixels {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let levels = (0..width * height * 3).map(|_| next()).collect();
        Pixels::new(Size { width, height }, levels).unwrap()
    }

    #[test]
    fn a_small_file_is_shown_as_it_is_and_a_large_one_made_smaller() {
        let pixels = noise(90, 60);
        let file = png(&pixels).unwrap();
        let whole = thumbnail(&file, &pixels, file.len()).unwrap().unwrap();
        assert_eq!((whole.media_type, &whole.bytes), ("image/png", &file));
        let most_bytes = file.len() / 3;
        let small = thumbnail(&file, &pixels, most_bytes).unwrap().unwrap();
        assert!(small.bytes.len() <= most_bytes);
        let shown = decode(&small.bytes, Transparency::Dropped).unwrap().size();
        assert!(shown.width < 90 && shown.width > 30, "{shown}");
        // Each side is off by half a pixel at most.
        let off = (shown.width * 60).abs_diff(shown.height * 90);
        assert!(2 * off <= 60 + 90, "{shown}");
        assert_eq!(thumbnail(&file, &pixels, 10).unwrap(), None);
    }

    #[test]
    fn what_would_move_is_written_anew() {
        let pixels = noise(8, 8);
        let mut moving = png(&pixels).unwrap();
        moving.extend(b"acTL");
        let shown = thumbnail(&moving, &pixels, 1 << 20).unwrap().unwrap();
        assert_ne!(shown.bytes, moving);
        let other = thumbnail(b"GIF89a", &pixels, 1 << 20).unwrap().unwrap();
        assert_eq!(decode(&other.bytes, Transparency::Dropped).unwrap(), pixels);
    }
}
