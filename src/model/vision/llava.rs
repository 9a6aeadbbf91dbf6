//! `LLaVA` 1.5 and what has its form: a picture of one size, every patch of which is a token.

use candle_core::Result;

use super::projected_tower::{ProjectedTower, TowerDefaults};
use super::{ImageRows, VisionFamily, VisionSettings, pixtral};
use crate::image::{Layout, ProcessedImage};
use crate::model::error::ModelError;
use crate::model::weights::ParameterSource;

const DEFAULTS: TowerDefaults =
    TowerDefaults { tower: "clip_vision_model", layer: -2, strategy: "default" };

/// What stands for an image in prompts of the `LLaVA` families where `processor_config.json` names nothing else.
pub(super) const IMAGE: &str = "<image>";

#[derive(Debug)]
struct Llava {
    tower: ProjectedTower,
    image_token: String,
}

pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let config = settings.config;
    if let Some(tower) = config.object("vision_config")?
        && tower.text("model_type")? == Some("pixtral")
    {
        // Pictures of any size, and breaks between their rows.
        return pixtral::load(source, settings);
    }
    let tower = ProjectedTower::load(source, config, DEFAULTS)?;
    Ok(Box::new(Llava { tower, image_token: settings.token("image_token", IMAGE) }))
}

impl VisionFamily for Llava {
    fn placeholder(&self) -> &str {
        &self.image_token
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        whole(image)?;
        Ok(self.image_token.repeat(self.tower.rows_of_picture()))
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        whole(image)?;
        Ok(ImageRows::of(self.tower.forward(image)?.squeeze(0)?))
    }
}

/// Refuses an image that is not one picture.
pub(super) fn whole(image: &ProcessedImage) -> Result<()> {
    match (&image.layout, image.shape.first()) {
        (Layout::Tiles { rows: 1, columns: 1 }, Some(1)) => Ok(()),
        (layout, _) => {
            candle_core::bail!(
                "this model sees one picture, and its image processor makes {layout}; \
                 the preprocessor_config.json is of another model"
            )
        }
    }
}
