//! GLM-4.1V: patches of images of any size with learned positions besides the rotary ones; a convolution makes tokens of them,
//! and a gated network rows.

use candle_core::{Result, Tensor};

use super::convolution::channels_last_convolution;
use super::patch_rotation::AxisOrder;
use super::patch_sizes::{PatchSizes, hidden_activation, vision_config};
use super::patch_tower::{PatchTower, TowerPlan};
use super::position_table::{PositionTable, Resampling};
use super::qwen2_vl::{EMBEDDING, GATED_BLOCK, PREFIXES};
use super::video::{SeesVideos, moments};
use super::{ImageRows, TokenGrid, VisionFamily, VisionSettings, prefix};
use crate::image::{ProcessedImage, ProcessedVideo};
use crate::model::error::ModelError;
use crate::model::norm::Norm;
use crate::model::projection::Projection;
use crate::model::spec::NormSpec;
use crate::model::two_way_attention::{no_bias, spans_of};
use crate::model::two_way_block::{Biases, BlockSpec};
use crate::model::weights::ParameterSource;
use crate::ops::activation::{Activation, activation};
use crate::ops::linear::gated_linear;

/// What stands for an image in a prompt.
const IMAGE_TOKEN: &str = "<|image|>";

/// What stands for a video.
const VIDEO_TOKEN: &str = "<|video|>";

/// What stands in front of the tokens of a moment of a video.
const IMAGE_START: &str = "<|begin_of_image|>";

/// What stands behind them.
const IMAGE_END: &str = "<|end_of_image|>";

const DEFAULTS: PatchSizes = PatchSizes {
    hidden_size: 1536,
    heads: 12,
    layers: 24,
    patch_side: 14,
    frames: 2,
    merged: 2,
    theta: 10_000.0,
};

/// The tower, and what makes rows of what it gives.
#[derive(Debug)]
struct Glm4v {
    tower: PatchTower,
    norm_of_embedded: Norm,
    positions: PositionTable,
    last_norm: Norm,
    /// Joins the patches of a token.
    downsample: Projection,
    merger: GatedMerger,
}

/// A linear map, a norm and a gated network.
#[derive(Debug)]
struct GatedMerger {
    map: Projection,
    norm: Norm,
    gate: Projection,
    up: Projection,
    down: Projection,
    activation: Activation,
}

/// Loads them.
pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let config = vision_config(settings)?;
    let sizes = PatchSizes::read(&config, DEFAULTS)?;
    let PatchSizes { hidden_size, merged, .. } = sizes;
    let norm = NormSpec::rms(config.number_or("rms_norm_eps", 1e-5)?);
    let output_size = config.count_or("out_hidden_size", 4096)?;
    let hidden_activation = hidden_activation(&config, Activation::Silu)?;
    let attention_bias = config.flag_or("attention_bias", false)?;
    // `intermediate_size` is the merger's.
    let block = BlockSpec {
        is_gated: true,
        biases: Biases { query_value: attention_bias, key: attention_bias, ..Biases::NONE },
        ..BlockSpec::plain([hidden_size, sizes.heads, output_size], norm, hidden_activation)
    };
    let plan = TowerPlan {
        sizes,
        axes: AxisOrder::RowsThenColumns,
        embedding: (EMBEDDING, &sizes.convolution()),
        embedding_bias: true,
        blocks: "blocks",
        block,
        block_names: GATED_BLOCK,
    };
    let side = config.count_or("image_size", 336)? / sizes.patch_side;
    if side == 0 {
        return Err(config.expected("image_size", "at least `patch_size`"));
    }
    let prefix = prefix(source, PREFIXES, "patch_embed.proj.weight");
    let place = |name: &str| format!("{prefix}{name}");
    let inner_size = config.count_or("intermediate_size", 13_696)?;
    let map = |name: &str, from, to| Projection::load(source, &place(name), from, to, false);
    let merger = GatedMerger {
        map: map("merger.proj", output_size, output_size)?,
        norm: Norm::load(
            source,
            &place("merger.post_projection_norm"),
            NormSpec::layer(1e-5),
            output_size,
        )?,
        gate: map("merger.gate_proj", output_size, inner_size)?,
        up: map("merger.up_proj", output_size, inner_size)?,
        down: map("merger.down_proj", inner_size, output_size)?,
        activation: hidden_activation,
    };
    Ok(Box::new(Glm4v {
        tower: PatchTower::load(source, prefix, &plan)?,
        norm_of_embedded: Norm::load(source, &place("post_conv_layernorm"), norm, hidden_size)?,
        positions: PositionTable::load(
            source,
            &place("embeddings.position_embedding.weight"),
            &[side * side, hidden_size],
            side,
            Resampling::CubicCentres,
        )?,
        last_norm: Norm::load(source, &place("post_layernorm"), norm, hidden_size)?,
        downsample: channels_last_convolution(
            source,
            &place("downsample"),
            [output_size, hidden_size, merged, merged],
        )?,
        merger,
    }))
}

impl VisionFamily for Glm4v {
    fn placeholder(&self) -> &str {
        IMAGE_TOKEN
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        self.tower.tokens(image, IMAGE_TOKEN)
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        let grid = self.tower.grid(image)?;
        let (embedded, angles) = self.tower.embedded(image, None)?;
        let embedded = self.norm_of_embedded.forward(&embedded)?;
        let mut stream = (&embedded + self.positions.of(grid)?.to_dtype(embedded.dtype())?)?;
        let frames = spans_of([grid.patches()]);
        for block in &self.tower.blocks {
            stream = block.forward(&stream, &frames, Some(&angles), &no_bias)?;
        }
        let tokens = self.last_norm.forward(&stream)?;
        let tokens = tokens.reshape(((), self.downsample.weight.input_size()))?;
        let rows = self.merger.forward(&self.downsample.forward(&tokens, None)?)?;
        Ok(ImageRows { rows, added: Vec::new(), grid: Some(TokenGrid::of_image(grid.tokens())) })
    }

    fn videos(&self) -> Option<&dyn SeesVideos> {
        Some(self)
    }
}

impl SeesVideos for Glm4v {
    fn processor(&self) -> &'static str {
        "Glm4vVideoProcessor"
    }

    fn placeholder(&self) -> &str {
        VIDEO_TOKEN
    }

    fn token(&self) -> &str {
        IMAGE_TOKEN
    }

    fn expansion(&self, video: &ProcessedVideo) -> Result<String> {
        // Every other frame, whatever a moment has.
        let mut seconds = video.seconds.iter().step_by(2);
        let mut last = 0.0;
        let moment = |moment: &ProcessedImage| {
            last = *seconds.next().unwrap_or(&last);
            let tokens = self.tower.tokens(moment, IMAGE_TOKEN)?;
            Ok(format!("{IMAGE_START}{tokens}{IMAGE_END}{}", last as u64))
        };
        video.moments.iter().map(moment).collect()
    }

    fn rows(&self, video: &ProcessedVideo) -> Result<Vec<ImageRows>> {
        moments(self, video)
    }
}

impl GatedMerger {
    fn forward(&self, tokens: &Tensor) -> Result<Tensor> {
        let normed = self.norm.forward(&self.map.forward(tokens, None)?)?;
        let normed = activation(normed, Activation::Gelu)?;
        let (gate, up) = (&self.gate, &self.up);
        let inner =
            gated_linear(&normed, (&gate.weight, None), (&up.weight, None), self.activation)?;
        self.down.forward(&inner, None)
    }
}
