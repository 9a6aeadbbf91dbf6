//! Qwen2.5-VL: as Qwen2-VL, but most layers see windows of the image, and networks are gated.

use candle_core::{Result, Tensor};

use super::patch_merger::{MergerSpec, PatchMerger};
use super::patch_rotation::AxisOrder;
use super::patch_sizes::{PatchSizes, hidden_activation, vision_config};
use super::patch_tower::{PatchTower, TowerPlan};
use super::qwen2_vl::{
    EMBEDDING, EPSILON, GATED_BLOCK, IMAGE_TOKEN, MERGER, PREFIXES, VIDEO_PROCESSOR, VIDEO_TOKEN,
};
use super::video::{SeesVideos, joined};
use super::window_order::WindowOrder;
use super::{ImageRows, TokenGrid, VisionFamily, VisionSettings, prefix};
use crate::image::{ProcessedImage, ProcessedVideo};
use crate::model::error::ModelError;
use crate::model::spec::NormSpec;
use crate::model::two_way_attention::{no_bias, spans_of};
use crate::model::two_way_block::BlockSpec;
use crate::model::weights::ParameterSource;
use crate::ops::activation::Activation;

const DEFAULTS: PatchSizes = PatchSizes {
    hidden_size: 3584,
    heads: 16,
    layers: 32,
    patch_side: 14,
    frames: 2,
    merged: 2,
    theta: 10_000.0,
};

/// The tower and its merger.
#[derive(Debug)]
struct Qwen25Vl {
    tower: PatchTower,
    /// Layers that see the whole image.
    full_layers: Vec<usize>,
    /// Tokens along a side of a window.
    window_side: usize,
    merger: PatchMerger,
    /// How far a second of a video is in the decoder.
    places_per_second: usize,
}

/// Loads them.
pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let config = vision_config(settings)?;
    let sizes = PatchSizes::read(&config, DEFAULTS)?;
    let norm = NormSpec::rms(EPSILON);
    let block = BlockSpec {
        is_gated: true,
        ..BlockSpec::plain(
            [sizes.hidden_size, sizes.heads, config.count_or("intermediate_size", 3420)?],
            norm,
            hidden_activation(&config, Activation::Silu)?,
        )
    };
    let plan = TowerPlan {
        sizes,
        axes: AxisOrder::RowsThenColumns,
        embedding: (EMBEDDING, &sizes.convolution()),
        embedding_bias: false,
        blocks: "blocks",
        block,
        block_names: GATED_BLOCK,
    };
    let merger = MergerSpec::of(sizes, config.count_or("out_hidden_size", 3584)?, norm);
    // Pixels, of which what does not make a whole token is left out.
    let window_side = config.count_or("window_size", 112)? / sizes.merged / sizes.patch_side;
    if window_side == 0 {
        let what = format!("at least {} pixels, a token", sizes.merged * sizes.patch_side);
        return Err(config.expected("window_size", &what));
    }
    let full_layers = config.places("fullatt_block_indexes")?;
    let prefix = prefix(source, PREFIXES, "patch_embed.proj.weight");
    Ok(Box::new(Qwen25Vl {
        tower: PatchTower::load(source, prefix, &plan)?,
        full_layers: full_layers.unwrap_or_else(|| vec![7, 15, 23, 31]),
        window_side,
        merger: PatchMerger::load(source, prefix, &MERGER, merger)?,
        places_per_second: config.count_or("tokens_per_second", 4)?,
    }))
}

impl VisionFamily for Qwen25Vl {
    fn placeholder(&self) -> &str {
        IMAGE_TOKEN
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        self.tower.tokens(image, IMAGE_TOKEN)
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        let grid = self.tower.grid(image)?;
        let order = WindowOrder::new(grid.tokens(), self.window_side);
        let (mut stream, angles) = self.tower.embedded(image, Some(&order.tokens))?;
        let frames = spans_of([grid.patches()]);
        let together = grid.patches_of_token();
        let windows = spans_of(order.lengths.iter().map(|tokens| tokens * together));
        for (number, block) in self.tower.blocks.iter().enumerate() {
            let spans = if self.full_layers.contains(&number) { &frames } else { &windows };
            stream = block.forward(&stream, spans, Some(&angles), &no_bias)?;
        }
        let merged = self.merger.forward(&stream)?;
        let places = Tensor::new(order.places(), merged.device())?;
        let rows = merged.index_select(&places, 0)?;
        Ok(ImageRows { rows, added: Vec::new(), grid: Some(TokenGrid::of_image(grid.tokens())) })
    }

    fn videos(&self) -> Option<&dyn SeesVideos> {
        Some(self)
    }
}

impl SeesVideos for Qwen25Vl {
    fn processor(&self) -> &'static str {
        VIDEO_PROCESSOR
    }

    fn placeholder(&self) -> &str {
        VIDEO_TOKEN
    }

    fn expansion(&self, video: &ProcessedVideo) -> Result<String> {
        self.tower.tokens_of_moments(video, VIDEO_TOKEN)
    }

    fn times(&self, video: &ProcessedVideo) -> Vec<Vec<u32>> {
        // In the precision of transformers, whose fractions are cut off.
        let seconds = (video.frames_of_moment as f64 / video.frames_per_second) as f32;
        let interval = self.places_per_second as f32 * seconds;
        let time = |moment: usize| (moment as f32 * interval) as u32;
        vec![(0..video.moments.len()).map(time).collect()]
    }

    fn rows(&self, video: &ProcessedVideo) -> Result<Vec<ImageRows>> {
        self.times(video).into_iter().map(|times| joined(self, video, times)).collect()
    }
}
