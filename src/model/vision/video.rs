//! How families see videos: what stands for one in a prompt, and its rows.
//!
//! Towers see the frames of a moment together and those of another moment apart, so each moment is an image to them, and what it gives
//! depends on no other.

use std::fmt;

use candle_core::{Result, Tensor};

use super::{ImageRows, TokenGrid, VisionFamily};
use crate::image::ProcessedVideo;

/// What a family that sees videos knows of them.
pub(in crate::model) trait SeesVideos: fmt::Debug {
    /// The class of transformers that prepares videos for the family, where a checkpoint names none.
    fn processor(&self) -> &'static str;

    /// What stands for a video in a prompt that was rendered.
    fn placeholder(&self) -> &str;

    /// The token whose embedding is replaced, as text.
    fn token(&self) -> &str {
        self.placeholder()
    }

    /// What a placeholder becomes before the prompt is tokenized.
    ///
    /// # Errors
    /// The video was prepared for another family.
    fn expansion(&self, video: &ProcessedVideo) -> Result<String>;

    /// Stretches of moments whose rows stand together, in order: how far each moment is from the first of its stretch in the decoder. All have
    /// as many rows.
    fn times(&self, video: &ProcessedVideo) -> Vec<Vec<u32>> {
        vec![vec![0]; video.moments.len()]
    }

    /// The rows of a video, of which each is one token of its expansion: stretches of them that only occur together, in order.
    fn rows(&self, video: &ProcessedVideo) -> Result<Vec<ImageRows>>;
}

/// The rows of every moment, each by itself.
pub(super) fn moments(family: &dyn VisionFamily, video: &ProcessedVideo) -> Result<Vec<ImageRows>> {
    video.moments.iter().map(|moment| family.rows(moment)).collect()
}

/// All moments as one stretch, where `times` says how far each is from the first.
pub(super) fn joined(
    family: &dyn VisionFamily,
    video: &ProcessedVideo,
    times: Vec<u32>,
) -> Result<ImageRows> {
    let moments = moments(family, video)?;
    let rows: Vec<&Tensor> = moments.iter().map(|moment| &moment.rows).collect();
    let grid = moments.first().and_then(|moment| moment.grid.as_ref());
    Ok(ImageRows {
        rows: Tensor::cat(&rows, 0)?,
        added: Vec::new(),
        grid: grid.map(|grid| TokenGrid { times, ..*grid }),
    })
}
