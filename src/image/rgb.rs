//! Levels of any kind → red, green and blue in 8 bits, as Pillow's `convert("RGB")` does it.
//!
//! 16 bits lose their lower 8, but gray without transparency: Pillow takes its levels as they are, so that all from 255 on become white. That is
//! what transformers shows a model, and so do we.

use ::image::DynamicImage;

use super::{Loss, Pixels, Size};

/// What becomes of pixels that are not opaque.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transparency {
    /// They show the colour that is stored, as in transformers where an image is named by a path, an address or a data URL.
    Dropped,
    /// They are laid over white, as in transformers where an image object is given.
    OverWhite,
}

/// Turns a decoded image into pixels; `is_gray_16` says that its file has 16 bits of gray and no channel of transparency. Nothing where it is of a kind that
/// no decoder here gives.
pub(super) fn rgb(
    image: &DynamicImage,
    is_gray_16: bool,
    transparency: Transparency,
) -> Option<Pixels> {
    let size = Size { width: image.width() as usize, height: image.height() as usize };
    let is_over_white = transparency == Transparency::OverWhite;
    let colour = |colour: [u8; 3], alpha: u8| {
        if is_over_white { colour.map(|level| over_white(level, alpha)) } else { colour }
    };
    let levels = match image {
        DynamicImage::ImageRgb8(image) => image.as_raw().clone(),
        DynamicImage::ImageLuma8(image) => each(image, |[gray]: [u8; 1]| [gray; 3]),
        DynamicImage::ImageLumaA8(image) => each(image, |[gray, alpha]| colour([gray; 3], alpha)),
        DynamicImage::ImageRgba8(image) => each(image, |[r, g, b, alpha]| colour([r, g, b], alpha)),
        DynamicImage::ImageLuma16(image) => each(image, |[gray]: [u16; 1]| [saturated(gray); 3]),
        // One gray level stands for transparency, which Pillow passes over in 16 bits.
        DynamicImage::ImageLumaA16(image) if is_gray_16 => {
            each(image, |[gray, _]: [u16; 2]| [saturated(gray); 3])
        }
        DynamicImage::ImageLumaA16(image) => {
            each(image, |[gray, alpha]| colour([upper(gray); 3], upper(alpha)))
        }
        DynamicImage::ImageRgb16(image) => each(image, |rgb: [u16; 3]| rgb.map(upper)),
        DynamicImage::ImageRgba16(image) => {
            each(image, |[r, g, b, alpha]| colour([r, g, b].map(upper), upper(alpha)))
        }
        _ => return None,
    };
    let is_cut = match image {
        DynamicImage::ImageLuma16(image) => image.as_raw().iter().any(|level| *level > 255),
        DynamicImage::ImageLumaA16(image) if is_gray_16 => {
            image.as_raw().iter().step_by(2).any(|level| *level > 255)
        }
        _ => false,
    };
    let loss = match transparency {
        _ if is_cut => Some(Loss::Levels),
        Transparency::Dropped if !is_gray_16 && !is_opaque(image) => Some(Loss::Transparency),
        _ => None,
    };
    Some(Pixels::new(size, levels)?.with_loss(loss))
}

/// Whether no pixel has a share of what is behind it.
fn is_opaque(image: &DynamicImage) -> bool {
    match image {
        DynamicImage::ImageLumaA8(image) => image.pixels().all(|pixel| pixel.0[1] == u8::MAX),
        DynamicImage::ImageRgba8(image) => image.pixels().all(|pixel| pixel.0[3] == u8::MAX),
        DynamicImage::ImageLumaA16(image) => {
            image.pixels().all(|pixel| upper(pixel.0[1]) == u8::MAX)
        }
        DynamicImage::ImageRgba16(image) => {
            image.pixels().all(|pixel| upper(pixel.0[3]) == u8::MAX)
        }
        _ => true,
    }
}

/// A pixel of N levels after the other.
fn each<T: Copy, const N: usize>(levels: &[T], pixel: impl Fn([T; N]) -> [u8; 3]) -> Vec<u8> {
    levels.as_chunks::<N>().0.iter().flat_map(|levels| pixel(*levels)).collect()
}

fn upper(level: u16) -> u8 {
    (level >> 8) as u8
}

fn saturated(level: u16) -> u8 {
    level.min(255) as u8
}

/// A level over white, in the whole numbers of Pillow's `AlphaComposite.c`.
fn over_white(level: u8, alpha: u8) -> u8 {
    const BITS: u32 = 7;
    if alpha == 0 {
        return 255;
    }
    let share = u32::from(alpha) << BITS;
    let sum = u32::from(level) * share + 255 * ((255 << BITS) - share) + (0x80 << BITS);
    ((((sum >> 8) + sum) >> 8) >> BITS) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_shows_through() {
        assert_eq!([over_white(9, 255), over_white(9, 0), over_white(0, 128)], [9, 255, 127]);
        for alpha in 0..=255 {
            assert_eq!(over_white(255, alpha), 255);
        }
    }
}
