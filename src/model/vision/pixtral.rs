//! Pixtral: its tower, and two maps. Its checkpoints call themselves `LLaVA`'s, and say another tower.

use candle_core::Result;

use super::connector::{Connector, activation_or, decoder_width, nested};
use super::feature_layer::FeatureLayer;
use super::pixtral_tower::{GridTokens, PixtralTower};
use super::{ImageRows, VisionFamily, VisionSettings, prefix};
use crate::image::ProcessedImage;
use crate::model::error::ModelError;
use crate::model::spec::Activation;
use crate::model::weights::ParameterSource;

#[derive(Debug)]
struct Pixtral {
    tower: PixtralTower,
    connector: Connector,
    tokens: GridTokens,
}

/// Loads what sees of a checkpoint.
pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let config = settings.config;
    // The default leaves out a class row, which this tower does not have.
    if config.text("vision_feature_select_strategy")? != Some("full") {
        return Err(config.expected("vision_feature_select_strategy", "\"full\" with this tower"));
    }
    let layer = |layers| FeatureLayer::read(config, "vision_feature_layer", -2, layers);
    let tower = prefix(source, &["model.vision_tower.", "vision_tower."], "ln_pre.weight");
    let tower = PixtralTower::load(source, tower, &nested(config, "vision_config")?, layer)?;
    let connector = prefix(
        source,
        &["model.multi_modal_projector.", "multi_modal_projector."],
        "linear_1.weight",
    );
    Ok(Box::new(Pixtral {
        connector: Connector::load(
            source,
            [&format!("{connector}linear_1"), &format!("{connector}linear_2")],
            [tower.hidden_size(), decoder_width(config)?],
            activation_or(config, "projector_hidden_act", Activation::Gelu)?,
            config.flag_or("multimodal_projector_bias", true)?,
        )?,
        tokens: GridTokens::read(settings, &tower, 1)?,
        tower,
    }))
}

impl VisionFamily for Pixtral {
    fn placeholder(&self) -> &str {
        self.tokens.image()
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        Ok(self.tokens.expansion(self.tower.grid(image, 1)?))
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        let rows = self.connector.forward(&self.tower.forward(image)?.stream)?;
        Ok(ImageRows { rows, added: Vec::new(), grid: None })
    }
}
