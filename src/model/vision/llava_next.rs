//! LLaVA-NeXT: the whole image, and tiles of it in more detail, without what pads them.
//!
//! LLaVA-OneVision is loaded here as well, since it sees images alike but for a limit.

use candle_core::Result;
use serde_json::{Value, json};

use super::llava::IMAGE;
use super::mosaic::Mosaic;
use super::projected_tower::{ProjectedTower, TowerDefaults};
use super::{ImageRows, VisionFamily, VisionSettings};
use crate::image::ProcessedImage;
use crate::model::error::ModelError;
use crate::model::weights::ParameterSource;

const DEFAULTS: TowerDefaults =
    TowerDefaults { tower: "clip_vision_model", layer: -2, strategy: "default" };

/// Models that see tiles.
#[derive(Debug)]
pub(super) struct TiledLlava {
    pub(super) tower: ProjectedTower,
    pub(super) mosaic: Mosaic,
    image_token: String,
}

pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let pinpoints = json!([[336, 672], [672, 336], [672, 672], [1008, 336], [336, 1008]]);
    Ok(Box::new(load_tiled(source, settings, DEFAULTS, &pinpoints, None)?))
}

/// Loads a model that sees tiles, whose patches fill at most `most_tiles` of them.
pub(super) fn load_tiled(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
    defaults: TowerDefaults,
    pinpoints: &Value,
    most_tiles: Option<usize>,
) -> std::result::Result<TiledLlava, ModelError> {
    const PINPOINTS: &str = "image_grid_pinpoints";
    let config = settings.config;
    // The processor chooses the tiles; where the config would choose others, the two are of different models.
    let processors = settings.of_image_processor(PINPOINTS).unwrap_or(pinpoints);
    if config.get(PINPOINTS).unwrap_or(pinpoints) != processors {
        return Err(config.expected(PINPOINTS, "that of the image processor"));
    }
    let tower = ProjectedTower::load(source, config, defaults)?;
    let grid = tower.grid();
    if tower.rows_of_picture() != grid * grid {
        return Err(config.expected(
            "vision_feature_select_strategy",
            "`default` for a tower with a class and `full` for one without",
        ));
    }
    Ok(TiledLlava {
        mosaic: Mosaic::load(source, grid, most_tiles, tower.size())?,
        tower,
        image_token: settings.token("image_token", IMAGE),
    })
}

impl VisionFamily for TiledLlava {
    fn placeholder(&self) -> &str {
        &self.image_token
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        Ok(self.image_token.repeat(self.mosaic.tokens(image)?))
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        Ok(ImageRows::of(self.mosaic.rows(image, &self.tower.forward(image)?)?))
    }
}
