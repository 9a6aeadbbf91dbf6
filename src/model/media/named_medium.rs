//! What a prompt shows or lets hear, as the engine asks for its rows.

use std::fmt::Write as _;
use std::sync::Arc;

use super::address::hexadecimal;
use super::{Digest, Medium, MediumKind};
use crate::model::vision::TokenGrid;

/// An image, a sound, or a stretch of a video, whose rows are made when they are needed, and again after they were forgotten.
#[derive(Clone, Debug)]
pub struct NamedMedium {
    /// What it is, and where; stretches share it, because it may hold a file.
    pub(super) medium: Arc<Medium>,
    /// What decides its content, when it was looked at.
    pub(super) digest: Digest,
    /// How many images the prompt of an image has; 0 for others.
    pub(super) images_of_prompt: usize,
    /// Which of the stretches of rows of a video it is; 0 for others.
    pub(super) stretch: usize,
    /// How many rows it has.
    pub(super) tokens: usize,
    /// Where its rows stand, where the decoder's places have three parts.
    pub(super) grid: Option<TokenGrid>,
    /// Whether its rows see each other both ways.
    pub(super) sees_both_ways: bool,
}

impl NamedMedium {
    /// How many rows it has.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Where its rows stand, where the decoder's places have three parts.
    pub fn grid(&self) -> Option<&TokenGrid> {
        self.grid.as_ref()
    }

    /// Whether its rows see each other both ways.
    pub(in crate::model) fn sees_both_ways(&self) -> bool {
        self.sees_both_ways
    }

    /// What decides its rows, beside the model.
    pub fn key(&self) -> String {
        let mut key = hexadecimal(&self.digest);
        // A text takes whatever is written to it.
        _ = match self.medium.kind {
            MediumKind::Image => write!(key, " {}", self.images_of_prompt),
            MediumKind::Sound => write!(key, " sound"),
            MediumKind::Video => {
                let rate = self.medium.frames_per_second.map_or(0, f64::to_bits);
                write!(key, " video {rate:x} {}", self.stretch)
            }
        };
        key
    }

    /// One of so many rows.
    #[cfg(test)]
    pub(crate) fn of_rows(tokens: usize) -> Self {
        let address = super::MediaAddress::Data(String::new());
        let medium = Medium { kind: MediumKind::Image, address, frames_per_second: None };
        let (medium, grid, sees_both_ways) = (Arc::new(medium), None, false);
        Self {
            medium,
            digest: [0; 32],
            images_of_prompt: 1,
            stretch: 0,
            tokens,
            grid,
            sees_both_ways,
        }
    }
}
