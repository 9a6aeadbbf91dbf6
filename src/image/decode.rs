//! Bytes of a file → upright pixels.
//!
//! What a file says of itself is not believed: pixels are counted before they are decoded, a panic of a decoder is an error, and a file that is cut
//! off is one, too.

use std::{io::Cursor, time::Duration};

use ::image::{
    AnimationDecoder, DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage,
    codecs::{gif::GifDecoder, png::PngDecoder, webp::WebPDecoder},
    metadata::Orientation,
};

use super::{
    ImageError, Pixels, Size, Transparency, Video, first_frame::covers_all, jpeg::Jpeg,
    orientation::orientation, rgb::rgb, transparent_colour::transparent_colour,
};
use crate::panic_guard::guarded;

/// Most bytes of an image's file.
pub const MOST_IMAGE_BYTES: usize = 256 << 20;

/// Most pixels of an image, or of all frames together: what Pillow decodes without a warning, a quarter of a gigabyte of levels.
pub const MOST_PIXELS: usize = 89_478_485;

/// The shortest time that a frame of an animation is seen; shorter ones stand for [`USUAL_DELAY`].
const LEAST_DELAY: Duration = Duration::from_millis(20);

/// How long a frame is seen that says nothing sensible of it.
const USUAL_DELAY: Duration = Duration::from_millis(100);

/// Most bytes that a decoder asks for: eight for each pixel, which 16 bits and transparency take.
const MOST_DECODER_BYTES: u64 = 8 * MOST_PIXELS as u64;

/// Decodes PNG, JPEG, WebP, GIF or BMP, of animations the first frame, and turns it as EXIF or XMP say.
///
/// # Errors
/// [`ImageError`] where the bytes are no such image, are cut off, or say that there are more than [`MOST_PIXELS`].
pub fn decode(bytes: &[u8], transparency: Transparency) -> Result<Pixels, ImageError> {
    let format = known_format(bytes)?;
    in_words(format, || {
        let (mut image, turn) = match format {
            ImageFormat::Jpeg => jpeg(bytes)?,
            _ => other(bytes, format)?,
        };
        let pixels = upright(&mut image, turn, is_gray_16(bytes), transparency)?;
        Ok(match transparency {
            Transparency::Dropped => {
                pixels.with_transparent(transparent_colour(bytes, format, &image))
            }
            Transparency::OverWhite => pixels,
        })
    })
}

/// Decodes all frames of a GIF or WebP animation; any other image is its only frame. An animated PNG is refused.
///
/// Frames are as they are seen, one laid over the other as the file says, and over white. How many are a second is that of all on average; what
/// is to be seen for less than 20 ms is seen for 100, as in browsers and in `FFmpeg`.
///
/// # Errors
/// As [`decode`], and where all frames together have more than [`MOST_PIXELS`].
pub fn decode_frames(bytes: &[u8]) -> Result<Video, ImageError> {
    let format = known_format(bytes)?;
    in_words(format, || match format {
        ImageFormat::Gif => {
            let mut decoder = GifDecoder::new(Cursor::new(bytes))?;
            decoder.set_limits(limits())?;
            frames(decoder)
        }
        ImageFormat::WebP => {
            let mut decoder = WebPDecoder::new(Cursor::new(bytes))?;
            decoder.set_limits(limits())?;
            if decoder.has_animation() { frames(decoder) } else { still(bytes) }
        }
        // Its image would pass for a video of one frame.
        ImageFormat::Png if PngDecoder::with_limits(Cursor::new(bytes), limits())?.is_apng()? => {
            let problem = "those of an animated PNG are not read; make a folder of them".to_owned();
            Err(ImageError::NoVideo { problem }.into())
        }
        _ => still(bytes),
    })
}

/// An image that is its only frame.
fn still(bytes: &[u8]) -> Result<Video, Problem> {
    Ok(Video::new(vec![decode(bytes, Transparency::OverWhite)?], None)?)
}

fn frames<'a>(decoder: impl AnimationDecoder<'a> + ImageDecoder) -> Result<Video, Problem> {
    let dimensions = decoder.dimensions();
    check_pixels(dimensions)?;
    let (width, height) = (dimensions.0 as usize, dimensions.1 as usize);
    let (mut all, mut seen) = (Vec::new(), Duration::ZERO);
    for frame in decoder.into_frames() {
        if (all.len() + 1).saturating_mul(width * height) > MOST_PIXELS {
            let frames = all.len() + 1;
            return Err(ImageError::TooManyFrames {
                frames,
                width,
                height,
                most_pixels: MOST_PIXELS,
            }
            .into());
        }
        let frame = frame?;
        seen = seen.saturating_add(seen_for(frame.delay().into()));
        let mut image = DynamicImage::ImageRgba8(frame.into_buffer());
        all.push(upright(&mut image, Orientation::NoTransforms, false, Transparency::OverWhite)?);
    }
    if all.is_empty() {
        return Err(Problem::Words("it has no frame".to_owned()));
    }
    let rate = all.len() as f64 / seen.as_secs_f64();
    Ok(Video::new(all, Some(rate))?)
}

/// How long a frame is seen.
fn seen_for(delay: Duration) -> Duration {
    if delay < LEAST_DELAY { USUAL_DELAY } else { delay }
}

/// The format, by the first bytes.
fn known_format(bytes: &[u8]) -> Result<ImageFormat, ImageError> {
    if bytes.is_empty() {
        return Err(ImageError::Empty);
    }
    if bytes.len() > MOST_IMAGE_BYTES {
        let (found_bytes, most_bytes) = (bytes.len(), MOST_IMAGE_BYTES);
        return Err(ImageError::TooManyBytes { found_bytes, most_bytes });
    }
    let format = ::image::guess_format(bytes).ok().filter(|format| name(*format).is_some());
    format.ok_or(ImageError::UnknownFormat)
}

fn name(format: ImageFormat) -> Option<&'static str> {
    Some(match format {
        ImageFormat::Png => "PNG",
        ImageFormat::Jpeg => "JPEG",
        ImageFormat::WebP => "WebP",
        ImageFormat::Gif => "GIF",
        ImageFormat::Bmp => "BMP",
        _ => return None,
    })
}

/// Whether a PNG stores gray in 16 bits: the header's depth and colour type. The decoder makes a channel of transparency of a single transparent level.
fn is_gray_16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG") && bytes.get(24..26) == Some(&[16, 0])
}

fn limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MOST_DECODER_BYTES);
    limits
}

/// A JPEG, and how it is to be turned.
fn jpeg(bytes: &[u8]) -> Result<(DynamicImage, Orientation), Problem> {
    let jpeg = Jpeg::open(bytes)?;
    let Size { width, height } = jpeg.size();
    check_pixels((width as u32, height as u32))?;
    let turn = orientation(jpeg.exif(), jpeg.xmp());
    let image = RgbImage::from_raw(width as u32, height as u32, jpeg.decode()?);
    let image = image.ok_or_else(|| Problem::Words("levels are missing".to_owned()))?;
    Ok((image.into(), turn))
}

/// An image of another format, and how it is to be turned.
fn other(bytes: &[u8], format: ImageFormat) -> Result<(DynamicImage, Orientation), Problem> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits());
    let mut decoder = reader.into_decoder()?;
    check_pixels(decoder.dimensions())?;
    if format == ImageFormat::Gif && !covers_all(bytes) {
        return Err(ImageError::PartOfScreen.into());
    }
    let (exif, xmp) = (decoder.exif_metadata()?, decoder.xmp_metadata()?);
    let turn = orientation(exif.as_deref(), xmp.as_deref());
    Ok((DynamicImage::from_decoder(decoder)?, turn))
}

fn check_pixels((width, height): (u32, u32)) -> Result<(), ImageError> {
    let (width, height) = (width as usize, height as usize);
    if width.saturating_mul(height) > MOST_PIXELS {
        return Err(ImageError::TooManyPixels { width, height, most_pixels: MOST_PIXELS });
    }
    Ok(())
}

fn upright(
    image: &mut DynamicImage,
    turn: Orientation,
    is_gray_16: bool,
    transparency: Transparency,
) -> Result<Pixels, Problem> {
    image.apply_orientation(turn);
    let pixels = rgb(image, is_gray_16, transparency);
    pixels.ok_or_else(|| Problem::Words(format!("it holds {:?}", image.color())))
}

/// What stopped a decoder.
enum Problem {
    Known(ImageError),
    Words(String),
}

impl From<ImageError> for Problem {
    fn from(error: ImageError) -> Self {
        Self::Known(error)
    }
}

impl From<::image::ImageError> for Problem {
    fn from(error: ::image::ImageError) -> Self {
        // Errors of formats repeat the format's name; what is behind them says what happened.
        Self::Words(match &error {
            ::image::ImageError::Decoding(inner) => std::error::Error::source(inner)
                .map_or_else(|| error.to_string(), ToString::to_string),
            _ => error.to_string(),
        })
    }
}

/// What `work` gives, with its problem or panic as an error that names the format.
fn in_words<T>(
    format: ImageFormat,
    work: impl FnOnce() -> Result<T, Problem>,
) -> Result<T, ImageError> {
    let problem = match guarded(work) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(Problem::Known(error))) => return Err(error),
        Ok(Err(Problem::Words(problem))) | Err(problem) => problem,
    };
    Err(ImageError::Broken { format: name(format).unwrap_or("image"), problem })
}
