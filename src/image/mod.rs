//! Images: bytes of a file → upright pixels → the numbers that a vision tower takes.
//!
//! ```no_run
//! use surprisal::image::{ImageProcessor, Transparency, decode};
//!
//! let settings = serde_json::json!({"image_processor_type": "SiglipImageProcessor"});
//! let processor = ImageProcessor::parse(Some(&settings), None)?;
//! let pixels = decode(&std::fs::read("cat.jpg")?, Transparency::Dropped)?;
//! let processed = processor.process(&pixels, 1)?;
//! assert_eq!(processed.shape, [1, 3, 224, 224]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Levels are those of Pillow 13, bit for bit, but of lossy WebP, whose decoder may differ by a level or two. What processors
//! make of them is what transformers 5.23 makes with its Pillow classes. Its default classes, on torchvision, resize with other rounding.
//! A [`Video`] is frames, which a [`VideoProcessor`] resizes as torchvision does: classes of videos have no other way.
//!
//! It reads no file, and knows no model, no token and no tensor: a [`ProcessedImage`] is a list of numbers and their shape.

mod decode;
mod error;
mod filter;
mod first_frame;
mod jpeg;
mod orientation;
mod pixels;
mod processed;
mod processor;
mod resize;
mod rgb;
mod thumbnail;
mod transparent_colour;
mod video;

pub use self::{
    decode::{MOST_IMAGE_BYTES, MOST_PIXELS, decode, decode_frames},
    error::ImageError,
    filter::Filter,
    pixels::{Loss, Pixels},
    processed::{Layout, ProcessedImage, ProcessedVideo},
    processor::{ImageProcessor, ProcessorError, VideoProcessor},
    resize::{Size, resize},
    rgb::Transparency,
    thumbnail::{Thumbnail, thumbnail},
    video::Video,
};
