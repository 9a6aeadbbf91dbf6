//! Qwen3-VL: as Qwen2-VL, with learned positions besides the rotary ones, and with what some layers give merged by themselves,
//! which is added behind the first layers of the decoder.

use candle_core::Result;

use super::patch_merger::{MergerNames, MergerSpec, PatchMerger};
use super::patch_rotation::AxisOrder;
use super::patch_sizes::{PatchSizes, hidden_activation, vision_config};
use super::patch_tower::{PatchTower, TowerPlan};
use super::position_table::{PositionTable, Resampling};
use super::qwen2_vl::{EMBEDDING, EPSILON, IMAGE_TOKEN, LINEAR_BLOCK, PREFIXES, VIDEO_TOKEN};
use super::video::{SeesVideos, moments};
use super::{ImageRows, TokenGrid, VisionFamily, VisionSettings, prefix};
use crate::image::{ProcessedImage, ProcessedVideo};
use crate::model::error::ModelError;
use crate::model::spec::NormSpec;
use crate::model::two_way_attention::{no_bias, spans_of};
use crate::model::two_way_block::BlockSpec;
use crate::model::weights::ParameterSource;
use crate::ops::activation::Activation;

/// What stands in front of the tokens of a moment of a video.
const VISION_START: &str = "<|vision_start|>";

/// What stands behind them.
const VISION_END: &str = "<|vision_end|>";

const DEFAULTS: PatchSizes = PatchSizes {
    hidden_size: 1152,
    heads: 16,
    layers: 27,
    patch_side: 16,
    frames: 2,
    merged: 2,
    theta: 10_000.0,
};

/// The names of a merger.
const MERGER: MergerNames = MergerNames { norm: "norm", first: "linear_fc1", second: "linear_fc2" };

/// The tower and its mergers.
#[derive(Debug)]
struct Qwen3Vl {
    tower: PatchTower,
    positions: PositionTable,
    merger: PatchMerger,
    /// Those of inner layers, by the layers' numbers.
    inner_mergers: Vec<(usize, PatchMerger)>,
}

/// Loads them.
pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let config = vision_config(settings)?;
    let sizes = PatchSizes::read(&config, DEFAULTS)?;
    let norm = NormSpec::layer(EPSILON);
    let block = BlockSpec::plain(
        [sizes.hidden_size, sizes.heads, config.count_or("intermediate_size", 4304)?],
        norm,
        hidden_activation(&config, Activation::GeluTanh)?,
    );
    let plan = TowerPlan {
        sizes,
        axes: AxisOrder::RowsThenColumns,
        embedding: (EMBEDDING, &sizes.convolution()),
        embedding_bias: true,
        blocks: "blocks",
        block,
        block_names: LINEAR_BLOCK,
    };
    let merger = MergerSpec::of(sizes, config.count_or("out_hidden_size", 3584)?, norm);
    let position_count = config.count_or("num_position_embeddings", 2304)?;
    let side = position_count.isqrt();
    if side * side != position_count {
        return Err(config.expected("num_position_embeddings", "the square of a whole number"));
    }
    let prefix = prefix(source, PREFIXES, "patch_embed.proj.weight");
    let tower = PatchTower::load(source, prefix, &plan)?;
    let inner_merger = |number: usize| {
        let place = format!("{prefix}deepstack_merger_list.{number}.");
        PatchMerger::load(source, &place, &MERGER, MergerSpec { norms_tokens: true, ..merger })
    };
    // A layer that is named twice has the first of its mergers, and one that is not there gives nothing.
    let named = config.places("deepstack_visual_indexes")?.unwrap_or_else(|| vec![8, 16, 24]);
    let inner_mergers = (0..sizes.layers)
        .filter_map(|layer| Some((layer, named.iter().position(|&named| named == layer)?)))
        .map(|(layer, number)| Ok((layer, inner_merger(number)?)))
        .collect::<std::result::Result<_, ModelError>>()?;
    Ok(Box::new(Qwen3Vl {
        tower,
        positions: PositionTable::load(
            source,
            &format!("{prefix}pos_embed.weight"),
            &[position_count, sizes.hidden_size],
            side,
            Resampling::LinearCorners,
        )?,
        merger: PatchMerger::load(source, &format!("{prefix}merger."), &MERGER, merger)?,
        inner_mergers,
    }))
}

impl VisionFamily for Qwen3Vl {
    fn placeholder(&self) -> &str {
        IMAGE_TOKEN
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        self.tower.tokens(image, IMAGE_TOKEN)
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        let grid = self.tower.grid(image)?;
        let (embedded, angles) = self.tower.embedded(image, None)?;
        let mut stream = (&embedded + self.positions.of(grid)?.to_dtype(embedded.dtype())?)?;
        let frames = spans_of([grid.patches()]);
        let mut added = Vec::with_capacity(self.inner_mergers.len());
        for (number, block) in self.tower.blocks.iter().enumerate() {
            stream = block.forward(&stream, &frames, Some(&angles), &no_bias)?;
            for (_, merger) in self.inner_mergers.iter().filter(|(layer, _)| *layer == number) {
                added.push(merger.forward(&stream)?);
            }
        }
        let rows = self.merger.forward(&stream)?;
        Ok(ImageRows { rows, added, grid: Some(TokenGrid::of_image(grid.tokens())) })
    }

    fn added_layers(&self) -> usize {
        self.inner_mergers.len()
    }

    fn videos(&self) -> Option<&dyn SeesVideos> {
        Some(self)
    }
}

impl SeesVideos for Qwen3Vl {
    fn processor(&self) -> &'static str {
        "Qwen3VLVideoProcessor"
    }

    fn placeholder(&self) -> &str {
        VIDEO_TOKEN
    }

    fn expansion(&self, video: &ProcessedVideo) -> Result<String> {
        let seconds = video.seconds.chunks(video.frames_of_moment.max(1));
        let moment = |(moment, seconds): (&ProcessedImage, &[f64])| {
            // Halfway between the first frame and the last; the last of all fills up the moment.
            let ends =
                seconds.first().zip(seconds.last()).map_or(0.0, |(first, last)| first + last);
            let tokens = self.tower.tokens(moment, VIDEO_TOKEN)?;
            Ok(format!("<{:.1} seconds>{VISION_START}{tokens}{VISION_END}", ends / 2.0))
        };
        video.moments.iter().zip(seconds).map(moment).collect()
    }

    fn rows(&self, video: &ProcessedVideo) -> Result<Vec<ImageRows>> {
        moments(self, video)
    }
}
