//! What can be wrong with an image.

use super::Size;

/// Why there are no pixels, or none that a processor takes.
///
/// Messages do not say which image it was: whoever has its name says it in front.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Nothing to decode.
    #[error("the image has no bytes")]
    Empty,
    /// A longer file than is decoded.
    #[error(
        "the image has {found_bytes} bytes, more than the {most_bytes} that are read; save it smaller"
    )]
    TooManyBytes {
        /// What it has.
        found_bytes: usize,
        /// What is read.
        most_bytes: usize,
    },
    /// None of the formats.
    #[error("this is no image in PNG, JPEG, WebP, GIF or BMP; save it as one of them")]
    UnknownFormat,
    /// More pixels than are decoded.
    #[error(
        "the image has {width} × {height} pixels, more than the {most_pixels} that are decoded; make it smaller"
    )]
    TooManyPixels {
        /// Its width.
        width: usize,
        /// Its height.
        height: usize,
        /// What is decoded.
        most_pixels: usize,
    },
    /// All frames of an animation have more pixels than are decoded.
    #[error(
        "{frames} frames of {width} × {height} pixels are more than the {most_pixels} that are decoded; make the animation smaller or shorter"
    )]
    TooManyFrames {
        /// The frame that was one too many.
        frames: usize,
        /// Their width.
        width: usize,
        /// Their height.
        height: usize,
        /// What is decoded.
        most_pixels: usize,
    },
    /// The end of the file is missing.
    #[error("the {format} image is cut off: its end is missing; copy the file again")]
    CutOff {
        /// The name of the format.
        format: &'static str,
    },
    /// A GIF whose first frame leaves some of its image open.
    #[error(
        "the first frame of the GIF does not cover the whole image, and what fills the rest differs between decoders; save the frame as PNG"
    )]
    PartOfScreen,
    /// Bytes that the format does not allow.
    #[error("the {format} image cannot be decoded: {problem}")]
    Broken {
        /// The name of the format.
        format: &'static str,
        /// What the decoder said.
        problem: String,
    },
    /// A size that has too many pixels on the way or in the end.
    #[error(
        "resizing {from} pixels to {to} takes more than the {most_pixels} pixels that are kept at once; cut the image, so that its sides are less unlike"
    )]
    Resizing {
        /// The size that there is.
        from: Size,
        /// The size that was wanted.
        to: Size,
        /// What is kept.
        most_pixels: usize,
    },
    /// Frames that are no video, or none that a processor takes.
    #[error("these frames make no video: {problem}")]
    NoVideo {
        /// Why.
        problem: String,
    },
    /// Sides that a processor takes no image of.
    #[error(
        "this model takes no image whose sides are so unlike: {size} pixels, and one may be at most {most_ratio} times the other; cut the image"
    )]
    UnlikeSides {
        /// The image's size.
        size: Size,
        /// What a side may be at most.
        most_ratio: usize,
    },
    /// A size that a processor makes nothing of.
    #[error("this model takes no image of {size} pixels: {problem}")]
    Unfit {
        /// The image's size.
        size: Size,
        /// Why.
        problem: String,
    },
}
