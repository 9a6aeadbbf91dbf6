//! What towers of Qwen, GLM and Kimi have in common: patches of images of any size become rows by a linear map, and layers
//! turn queries and keys by where a patch is.
//!
//! What is added to the rows first, which rows see each other, and what becomes of the last ones is the family's.

use candle_core::{DType, Device, Result, Tensor};

use super::convolution::convolution;
use super::patch_grid::PatchGrid;
use super::patch_rotation::{AxisOrder, PatchRotation};
use super::patch_sizes::PatchSizes;
use crate::image::{ProcessedImage, ProcessedVideo};
use crate::model::error::ModelError;
use crate::model::projection::Projection;
use crate::model::two_way_block::{BlockNames, BlockSpec, TwoWayBlock};
use crate::model::weights::ParameterSource;
use crate::ops::rotary::Angles;

/// What a tower computes, and where its parameters are.
#[derive(Clone, Debug)]
pub(super) struct TowerPlan<'a> {
    pub(super) sizes: PatchSizes,
    /// Which pairs of a head turn with rows and which with columns.
    pub(super) axes: AxisOrder,
    /// The map from a patch's pixels, stored as a convolution of this shape.
    pub(super) embedding: (&'a str, &'a [usize]),
    pub(super) embedding_bias: bool,
    /// The name of all layers, before their numbers.
    pub(super) blocks: &'a str,
    pub(super) block: BlockSpec,
    pub(super) block_names: BlockNames,
}

/// A tower whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct PatchTower {
    pub(super) sizes: PatchSizes,
    embedding: Projection,
    rotation: PatchRotation,
    /// Layers in order; the angles of [`PatchTower::embedded`] are theirs.
    pub(super) blocks: Vec<TwoWayBlock>,
    device: Device,
    dtype: DType,
}

impl PatchTower {
    /// Takes the parameters whose names begin with `prefix`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        prefix: &str,
        plan: &TowerPlan<'_>,
    ) -> std::result::Result<Self, ModelError> {
        let (name, shape) = plan.embedding;
        let embedding =
            convolution(source, &format!("{prefix}{name}"), shape, plan.embedding_bias)?;
        let block = |number| {
            let place = format!("{prefix}{}.{number}", plan.blocks);
            TwoWayBlock::load(source, &place, &plan.block_names, &plan.block)
        };
        let sizes = plan.sizes;
        Ok(Self {
            sizes,
            embedding,
            rotation: PatchRotation::new(sizes.head_size(), sizes.theta, plan.axes),
            blocks: (0..sizes.layers).map(block).collect::<std::result::Result<_, _>>()?,
            device: source.device().clone(),
            dtype: source.dtype(),
        })
    }

    /// Where an image's patches are.
    pub(super) fn grid(&self, image: &ProcessedImage) -> Result<PatchGrid> {
        PatchGrid::of(image, self.sizes.merged)
    }

    /// As many image tokens as an image has rows.
    pub(super) fn tokens(&self, image: &ProcessedImage, token: &str) -> Result<String> {
        let [rows, columns] = self.grid(image)?.tokens();
        Ok(token.repeat(rows * columns))
    }

    /// As many tokens as all moments of a video have rows.
    pub(super) fn tokens_of_moments(&self, video: &ProcessedVideo, token: &str) -> Result<String> {
        video.moments.iter().map(|moment| self.tokens(moment, token)).collect()
    }

    /// What layers get of an image, `(patches, hidden size)`, and the angles by which they turn. `tokens` is the order of its
    /// tokens, if it is not that of the image.
    pub(super) fn embedded(
        &self,
        image: &ProcessedImage,
        tokens: Option<&[u32]>,
    ) -> Result<(Tensor, Angles<'static>)> {
        let grid = self.grid(image)?;
        let numbers = self.sizes.numbers_of_patch();
        let mut pixels = grid.pixels(image, numbers, &self.device, self.dtype)?;
        let mut places = grid.places();
        if let Some(tokens) = tokens {
            let order = Tensor::new(tokens, &self.device)?;
            let together = self.sizes.patches_of_token();
            pixels = pixels.reshape(((), together * numbers))?.index_select(&order, 0)?;
            pixels = pixels.reshape(((), numbers))?;
            let patches = |token: &u32| &places[*token as usize * together..][..together];
            places = tokens.iter().flat_map(patches).copied().collect();
        }
        let angles = self.rotation.angles(&places, &self.device, self.dtype)?;
        Ok((self.embedding.forward(&pixels, None)?, angles))
    }
}
