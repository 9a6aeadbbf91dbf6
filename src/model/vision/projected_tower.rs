//! A tower, and two maps from its rows to the decoder's: `LLaVA`, LLaVA-NeXT, LLaVA-OneVision.

use candle_core::{Result, Tensor};

use super::clip::ClipTower;
use super::clip_spec::ClipSpec;
use super::connector::{Connector, activation_or};
use super::prefix;
use super::taken_layers::TakenLayers;
use super::text_size::text_size;
use crate::image::ProcessedImage;
use crate::model::error::ModelError;
use crate::model::families::Config;
use crate::model::spec::Activation;
use crate::model::weights::ParameterSource;

/// Where releases of transformers kept what is behind a tower.
pub(super) const PROJECTORS: &[&str] = &["model.multi_modal_projector.", "multi_modal_projector."];

/// What a family's config class says where a config does not.
#[derive(Clone, Copy, Debug)]
pub(super) struct TowerDefaults {
    /// `vision_config.model_type`.
    pub(super) tower: &'static str,
    /// `vision_feature_layer`.
    pub(super) layer: i64,
    /// `vision_feature_select_strategy`.
    pub(super) strategy: &'static str,
}

/// A tower and the maps behind it.
#[derive(Debug)]
pub(super) struct ProjectedTower {
    tower: ClipTower,
    connector: Connector,
    size: usize,
}

impl ProjectedTower {
    /// Takes the parameters of a checkpoint with this config.
    pub(super) fn load(
        source: &dyn ParameterSource,
        config: &Config,
        defaults: TowerDefaults,
    ) -> std::result::Result<Self, ModelError> {
        let spec = ClipSpec::read(config, defaults.tower)?;
        let taken = TakenLayers::read(config, &spec, defaults.layer, defaults.strategy)?;
        let activation = activation_or(config, "projector_hidden_act", Activation::Gelu)?;
        let has_biases = config.flag_or("multimodal_projector_bias", true)?;
        let (width, size) = (spec.hidden_size() * taken.count(), text_size(config)?);
        let projector = prefix(source, PROJECTORS, "linear_1.weight");
        let [first, second] = ["linear_1", "linear_2"].map(|name| format!("{projector}{name}"));
        let names = [first.as_str(), second.as_str()];
        Ok(Self {
            connector: Connector::load(source, names, [width, size], activation, has_biases)?,
            tower: ClipTower::load(source, spec, taken)?,
            size,
        })
    }

    /// Patches along a side of a picture.
    pub(super) fn grid(&self) -> usize {
        self.tower.grid()
    }

    /// Rows that a picture gives.
    pub(super) fn rows_of_picture(&self) -> usize {
        self.tower.rows_of_picture()
    }

    /// Width of the decoder's rows.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Every picture of an image, `(pictures, rows, size)`.
    pub(super) fn forward(&self, image: &ProcessedImage) -> Result<Tensor> {
        let rows = self.tower.forward(image)?;
        let (pictures, count, width) = rows.dims3()?;
        let rows = rows.reshape((pictures * count, width))?;
        let rows = self.connector.forward(&rows)?;
        rows.reshape((pictures, count, self.size))
    }
}
