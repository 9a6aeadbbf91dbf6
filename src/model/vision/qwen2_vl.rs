//! Qwen2-VL: patches of images of any size, all of which see each other.

use candle_core::Result;

use super::patch_merger::{MergerNames, MergerSpec, PatchMerger};
use super::patch_rotation::AxisOrder;
use super::patch_sizes::{PatchSizes, hidden_activation, vision_config};
use super::patch_tower::{PatchTower, TowerPlan};
use super::video::{SeesVideos, joined};
use super::{ImageRows, TokenGrid, VisionFamily, VisionSettings, prefix};
use crate::image::{ProcessedImage, ProcessedVideo};
use crate::model::error::ModelError;
use crate::model::spec::NormSpec;
use crate::model::two_way_attention::{no_bias, spans_of};
use crate::model::two_way_block::{BlockNames, BlockSpec, QueryKeyValue};
use crate::model::weights::ParameterSource;
use crate::ops::activation::Activation;

/// What stands for an image in prompts of Qwen.
pub(super) const IMAGE_TOKEN: &str = "<|image_pad|>";

/// What stands for a video.
pub(super) const VIDEO_TOKEN: &str = "<|video_pad|>";

/// The class that prepares videos of Qwen2-VL and Qwen2.5-VL.
pub(super) const VIDEO_PROCESSOR: &str = "Qwen2VLVideoProcessor";

/// Where towers of Qwen and GLM are, in files of old and new releases.
pub(super) const PREFIXES: &[&str] = &["model.visual.", "visual."];

/// The ε of all norms.
pub(super) const EPSILON: f64 = 1e-6;

/// The map from pixels.
pub(super) const EMBEDDING: &str = "patch_embed.proj";

const DEFAULTS: PatchSizes = PatchSizes {
    hidden_size: 1280,
    heads: 16,
    layers: 32,
    patch_side: 14,
    frames: 2,
    merged: 2,
    theta: 10_000.0,
};

const BLOCK: BlockNames = BlockNames {
    before_attention: "norm1",
    query_key_value: QueryKeyValue::Fused("attn.qkv"),
    query_norm: "",
    key_norm: "",
    output: "attn.proj",
    attention_scale: "",
    before_inner: "norm2",
    gate: "",
    up: "mlp.fc1",
    down: "mlp.fc2",
    inner_scale: "",
};

/// The layers' names, with a gated feed-forward network.
pub(super) const GATED_BLOCK: BlockNames =
    BlockNames { gate: "mlp.gate_proj", up: "mlp.up_proj", down: "mlp.down_proj", ..BLOCK };

/// The layers' names, with other ones for the feed-forward network.
pub(super) const LINEAR_BLOCK: BlockNames =
    BlockNames { up: "mlp.linear_fc1", down: "mlp.linear_fc2", ..BLOCK };

/// The names of the merger.
pub(super) const MERGER: MergerNames =
    MergerNames { norm: "merger.ln_q", first: "merger.mlp.0", second: "merger.mlp.2" };

/// The tower and its merger.
#[derive(Debug)]
struct Qwen2Vl {
    tower: PatchTower,
    merger: PatchMerger,
}

/// Loads them.
pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    // `hidden_size` is the decoder's width.
    let config = vision_config(settings)?
        .renamed(&[("hidden_size", "out_hidden_size"), ("embed_dim", "hidden_size")]);
    let sizes = PatchSizes::read(&config, DEFAULTS)?;
    let norm = NormSpec::layer(EPSILON);
    let block = BlockSpec::plain(
        [sizes.hidden_size, sizes.heads, sizes.hidden_size * config.count_or("mlp_ratio", 4)?],
        norm,
        hidden_activation(&config, Activation::QuickGelu)?,
    );
    let plan = TowerPlan {
        sizes,
        axes: AxisOrder::RowsThenColumns,
        embedding: (EMBEDDING, &sizes.convolution()),
        embedding_bias: false,
        blocks: "blocks",
        block,
        block_names: BLOCK,
    };
    let merger = MergerSpec::of(sizes, config.count_or("out_hidden_size", 3584)?, norm);
    let prefix = prefix(source, PREFIXES, "patch_embed.proj.weight");
    Ok(Box::new(Qwen2Vl {
        tower: PatchTower::load(source, prefix, &plan)?,
        merger: PatchMerger::load(source, prefix, &MERGER, merger)?,
    }))
}

impl VisionFamily for Qwen2Vl {
    fn placeholder(&self) -> &str {
        IMAGE_TOKEN
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        self.tower.tokens(image, IMAGE_TOKEN)
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        let grid = self.tower.grid(image)?;
        let (mut stream, angles) = self.tower.embedded(image, None)?;
        let frames = spans_of([grid.patches()]);
        for block in &self.tower.blocks {
            stream = block.forward(&stream, &frames, Some(&angles), &no_bias)?;
        }
        let rows = self.merger.forward(&stream)?;
        Ok(ImageRows { rows, added: Vec::new(), grid: Some(TokenGrid::of_image(grid.tokens())) })
    }

    fn videos(&self) -> Option<&dyn SeesVideos> {
        Some(self)
    }
}

impl SeesVideos for Qwen2Vl {
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
        vec![(0..video.moments.len() as u32).collect()]
    }

    fn rows(&self, video: &ProcessedVideo) -> Result<Vec<ImageRows>> {
        self.times(video).into_iter().map(|times| joined(self, video, times)).collect()
    }
}
