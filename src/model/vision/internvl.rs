//! `InternVL`: tiles, then the whole image, through a tower with a class row; four patches become one token.

use candle_core::{Result, Tensor};

use super::connector::{Connector, activation_or, decoder_width, nested};
use super::feature_layer::FeatureLayer;
use super::patch_embedding::PatchEmbedding;
use super::pixel_shuffle::{Order, pixel_shuffle};
use super::tower_sizes::TowerSizes;
use super::video::{SeesVideos, moments};
use super::{Config, ImageRows, VisionFamily, VisionSettings, prefix};
use crate::image::{Layout, ProcessedImage, ProcessedVideo};
use crate::model::error::ModelError;
use crate::model::norm::Norm;
use crate::model::spec::{Activation, NormSpec};
use crate::model::two_way_attention::{no_bias, spans_of};
use crate::model::two_way_block::{Biases, BlockNames, BlockSpec, QueryKeyValue, TwoWayBlock};
use crate::model::weights::ParameterSource;

const DEFAULTS: TowerSizes = TowerSizes {
    hidden_size: 1024,
    inner_size: 4096,
    layers: 24,
    heads: 16,
    image_side: 448,
    patch_side: 14,
};

const NAMES: BlockNames = BlockNames {
    before_attention: "layernorm_before",
    query_key_value: QueryKeyValue::Separate([
        "attention.q_proj",
        "attention.k_proj",
        "attention.v_proj",
    ]),
    query_norm: "attention.q_norm",
    key_norm: "attention.k_norm",
    output: "attention.projection_layer",
    attention_scale: "lambda_1",
    before_inner: "layernorm_after",
    gate: "",
    up: "mlp.fc1",
    down: "mlp.fc2",
    inner_scale: "lambda_2",
};

/// The ε of norms whose class has one of its own.
const NORM_EPSILON: f64 = 1e-6;
/// That of PyTorch's layer norm.
const LAYER_NORM_EPSILON: f64 = 1e-5;

const START: &str = "<img>";
const IMAGE: &str = "<IMG_CONTEXT>";
const END: &str = "</img>";
const VIDEO: &str = "<video>";

#[derive(Debug)]
struct InternVl {
    patches: PatchEmbedding,
    patches_along: usize,
    class: Tensor,
    positions: Option<Tensor>,
    layers: Vec<TwoWayBlock>,
    final_norm: Norm,
    merged: usize,
    connector_norm: Norm,
    connector: Connector,
}

/// Loads what sees of a checkpoint.
pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let config = settings.config;
    config.only_text("vision_feature_select_strategy", "default")?;
    let tower_config = nested(config, "vision_config")?;
    let sizes = TowerSizes::read(&tower_config, DEFAULTS)?;
    let (size, along) = (sizes.hidden_size, sizes.patches());
    let layer = FeatureLayer::read(config, "vision_feature_layer", -1, sizes.layers)?;
    let tower = prefix(source, &["model.vision_tower.", "vision_tower."], "embeddings.cls_token");
    let spec = block_spec(&tower_config, &sizes)?;
    let layers = (0..layer.depth).map(|number| {
        TwoWayBlock::load(source, &format!("{tower}encoder.layer.{number}"), &NAMES, &spec)
    });
    let layers = layers.collect::<std::result::Result<_, _>>()?;
    let positions = if tower_config.flag_or("use_absolute_position_embeddings", true)? {
        let shape = [1, along * along + 1, size];
        Some(source.parameter(&format!("{tower}embeddings.position_embeddings"), &shape)?)
    } else {
        None
    };
    let epsilon = tower_config.number_or("layer_norm_eps", NORM_EPSILON)?;
    let is_normed = layer.is_output && !tower_config.flag_or("use_mean_pooling", true)?;
    let final_norm = if is_normed { NormSpec::layer(epsilon) } else { NormSpec::Identity };
    let merged = merged(config, along)?;
    let connector = prefix(
        source,
        &["model.multi_modal_projector.", "multi_modal_projector."],
        "layer_norm.weight",
    );
    let merged_size = merged * merged * size;
    let connector_norm = NormSpec::layer(LAYER_NORM_EPSILON);
    Ok(Box::new(InternVl {
        patches: PatchEmbedding::load(
            source,
            &format!("{tower}embeddings.patch_embeddings.projection"),
            sizes.patch_side,
            size,
            true,
        )?,
        patches_along: along,
        class: source.parameter(&format!("{tower}embeddings.cls_token"), &[1, 1, size])?,
        positions,
        layers,
        final_norm: Norm::load(source, &format!("{tower}layernorm"), final_norm, size)?,
        merged,
        connector_norm: Norm::load(
            source,
            &format!("{connector}layer_norm"),
            connector_norm,
            merged_size,
        )?,
        connector: Connector::load(
            source,
            [&format!("{connector}linear_1"), &format!("{connector}linear_2")],
            [merged_size, decoder_width(config)?],
            activation_or(config, "projector_hidden_act", Activation::Gelu)?,
            true,
        )?,
    }))
}

fn block_spec(config: &Config, sizes: &TowerSizes) -> std::result::Result<BlockSpec, ModelError> {
    let epsilon = config.number_or("layer_norm_eps", NORM_EPSILON)?;
    let norm = match config.text("norm_type")? {
        None | Some("layer_norm") => NormSpec::layer(epsilon),
        Some("rms_norm") => NormSpec::rms(epsilon),
        Some(_) => return Err(config.unsupported("norm_type")),
    };
    let has_norms = config.flag_or("use_qk_norm", false)?;
    let has_biases = config.flag_or("attention_bias", false)?;
    Ok(BlockSpec {
        biases: Biases { query_value: has_biases, key: has_biases, ..Biases::ALL },
        query_key_norm: has_norms.then(|| NormSpec::rms(NORM_EPSILON)),
        has_scales: true,
        ..BlockSpec::plain(
            [sizes.hidden_size, sizes.heads, sizes.inner_size],
            norm,
            activation_or(config, "hidden_act", Activation::Gelu)?,
        )
    })
}

/// Patches along a side of what becomes a token: the inverse of `downsample_ratio`, and a divisor of those `along` a side of a tile.
fn merged(config: &Config, along: usize) -> std::result::Result<usize, ModelError> {
    let ratio = config.number_or("downsample_ratio", 0.5)?;
    (1..=along)
        .find(|&side| {
            (side as f64 * ratio - 1.0).abs() < f64::EPSILON && along.is_multiple_of(side)
        })
        .ok_or_else(|| config.unsupported("downsample_ratio"))
}

impl VisionFamily for InternVl {
    fn placeholder(&self) -> &str {
        IMAGE
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        let (Layout::Tiles { .. }, &[pictures, ..]) = (&image.layout, image.shape.as_slice())
        else {
            candle_core::bail!("the image was not prepared as tiles")
        };
        let along = self.patches_along / self.merged;
        Ok(format!("{START}{}{END}", IMAGE.repeat(pictures * along * along)))
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        let patches = self.patches.forward(image)?;
        let along = self.patches_along;
        if [patches.rows, patches.columns] != [along; 2] {
            candle_core::bail!(
                "a tile has {} × {} patches, and the tower is made for {along} × {along}",
                patches.rows,
                patches.columns
            )
        }
        let (pictures, count) = (patches.pictures, along * along);
        let size = patches.stream.dim(1)?;
        let classes = self.class.broadcast_as((pictures, 1, size))?;
        let stream = patches.stream.reshape((pictures, count, size))?;
        let mut stream = Tensor::cat(&[&classes, &stream], 1)?;
        if let Some(positions) = &self.positions {
            stream = stream.broadcast_add(positions)?;
        }
        let mut stream = stream.reshape((pictures * (count + 1), size))?;
        let spans = spans_of(std::iter::repeat_n(count + 1, pictures));
        for layer in &self.layers {
            stream = layer.forward(&stream, &spans, None, &no_bias)?;
        }
        let stream = self.final_norm.forward(&stream)?.reshape((pictures, count + 1, size))?;
        let stream = stream.narrow(1, 1, count)?.reshape((pictures * count, size))?;
        let squares =
            pixel_shuffle(&stream, [pictures, along, along], self.merged, Order::PatchByPatch)?;
        let rows = self.connector.forward(&self.connector_norm.forward(&squares)?)?;
        Ok(ImageRows { rows, added: Vec::new(), grid: None })
    }

    fn videos(&self) -> Option<&dyn SeesVideos> {
        Some(self)
    }
}

impl SeesVideos for InternVl {
    fn processor(&self) -> &'static str {
        "InternVLVideoProcessor"
    }

    fn placeholder(&self) -> &str {
        VIDEO
    }

    fn token(&self) -> &str {
        IMAGE
    }

    fn expansion(&self, video: &ProcessedVideo) -> Result<String> {
        let frames = video.moments.iter().zip(1..).map(|(frame, number)| {
            let tokens = VisionFamily::expansion(self, frame)?;
            Ok(format!("Frame{number}: {tokens}"))
        });
        Ok(frames.collect::<Result<Vec<_>>>()?.join("\n"))
    }

    fn rows(&self, video: &ProcessedVideo) -> Result<Vec<ImageRows>> {
        moments(self, video)
    }
}
