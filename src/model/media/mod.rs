//! What prompts show and let hear, by where it is: images, videos and sounds, in files or in the prompt itself.
//!
//! [`Sight`] stands between prompts and towers: it finds in a rendered prompt what its chat template wrote for an image, a video or a sound, and
//! gives every row that a tower will make of it an id of its own. What a family makes of pixels and of features is that of
//! [`vision`](super::vision) and [`audio`](super::audio); here nothing is computed.

mod address;
mod encoder;
mod medium;
mod named_medium;
mod sight;

pub(super) use self::address::Digest;
pub use self::{
    address::MediaAddress,
    encoder::MediaEncoder,
    medium::{MOST_IMAGE_FILE_BYTES, Medium, MediumKind},
    named_medium::NamedMedium,
    sight::{KEPT_BYTES, PlacedPrompt, PlacedToken, ShownMedium, Sight, SightMemory},
};
