//! Mistral 3: Pixtral's tower, of which squares of patches are merged, and two maps.

use candle_core::Result;

use super::connector::{Connector, activation_or, decoder_width, nested};
use super::feature_layer::FeatureLayer;
use super::pixel_shuffle::{Order, pixel_shuffle};
use super::pixtral_tower::{GridTokens, PixtralTower};
use super::{Config, ImageRows, VisionFamily, VisionSettings, prefix};
use crate::image::ProcessedImage;
use crate::model::error::ModelError;
use crate::model::norm::Norm;
use crate::model::projection::Projection;
use crate::model::spec::{Activation, NormSpec};
use crate::model::weights::ParameterSource;

/// Patches along a side of a token that a config may ask for.
const MOST_MERGED: usize = 64;

#[derive(Debug)]
struct Mistral3 {
    tower: PixtralTower,
    norm: Norm,
    merged: usize,
    merger: Projection,
    connector: Connector,
    tokens: GridTokens,
}

/// Loads what sees of a checkpoint.
pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let config = settings.config;
    let merged = config.count_or("spatial_merge_size", 2)?;
    if merged > MOST_MERGED {
        return Err(config.expected("spatial_merge_size", "the side of a square in patches"));
    }
    let layer = |layers| FeatureLayer::read(config, "vision_feature_layer", -1, layers);
    let tower = prefix(source, &["model.vision_tower.", "vision_tower."], "ln_pre.weight");
    let tower = PixtralTower::load(source, tower, &nested(config, "vision_config")?, layer)?;
    let size = tower.hidden_size();
    let connector =
        prefix(source, &["model.multi_modal_projector.", "multi_modal_projector."], "norm.weight");
    Ok(Box::new(Mistral3 {
        norm: Norm::load(source, &format!("{connector}norm"), norm_spec(config)?, size)?,
        merger: Projection::load(
            source,
            &format!("{connector}patch_merger.merging_layer"),
            merged * merged * size,
            size,
            false,
        )?,
        connector: Connector::load(
            source,
            [&format!("{connector}linear_1"), &format!("{connector}linear_2")],
            [size, decoder_width(config)?],
            activation_or(config, "projector_hidden_act", Activation::Gelu)?,
            config.flag_or("multimodal_projector_bias", false)?,
        )?,
        tokens: GridTokens::read(settings, &tower, merged)?,
        merged,
        tower,
    }))
}

/// The norm of the tower's rows, which has the ε of the decoder's.
fn norm_spec(config: &Config) -> std::result::Result<NormSpec, ModelError> {
    let text = nested(config, "text_config")?;
    let epsilon = match (text.optional_number("rms_norm_eps")?, text.text("model_type")?) {
        (Some(epsilon), _) => epsilon,
        (None, None | Some("mistral")) => 1e-6,
        (None, Some("ministral3")) => 1e-5,
        (None, Some(_)) => return Err(text.expected("rms_norm_eps", "a number")),
    };
    Ok(NormSpec::rms(epsilon))
}

impl VisionFamily for Mistral3 {
    fn placeholder(&self) -> &str {
        self.tokens.image()
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        Ok(self.tokens.expansion(self.tower.grid(image, self.merged)?))
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        let patches = self.tower.forward(image)?;
        let normed = self.norm.forward(&patches.stream)?;
        let grid = [patches.pictures, patches.rows, patches.columns];
        let squares = pixel_shuffle(&normed, grid, self.merged, Order::ChannelByChannel)?;
        let rows = self.connector.forward(&self.merger.forward(&squares, None)?)?;
        Ok(ImageRows { rows, added: Vec::new(), grid: None })
    }
}
