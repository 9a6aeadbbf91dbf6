//! A tower, and two maps from its rows to the decoder's: `LLaVA`, LLaVA-NeXT, LLaVA-OneVision.

use candle_core::{Result, Tensor};

use super::clip::ClipTower;
use super::clip_spec::ClipSpec;
use super::prefix;
use super::taken_layers::TakenLayers;
use super::text_size::text_size;
use crate::image::ProcessedImage;
use crate::model::error::ModelError;
use crate::model::families::{Config, named_activation};
use crate::model::projection::Projection;
use crate::model::weights::ParameterSource;
use crate::ops::activation::Activation;

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
    first: Projection,
    activation: Activation,
    second: Projection,
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
        let name = config.text("projector_hidden_act")?.unwrap_or("gelu");
        let activation =
            named_activation(name).ok_or_else(|| config.unsupported("projector_hidden_act"))?;
        let has_bias = config.flag_or("multimodal_projector_bias", true)?;
        let (width, size) = (spec.hidden_size() * taken.count(), text_size(config)?);
        let projector = prefix(source, PROJECTORS, "linear_1.weight");
        let map = |name: &str, width| {
            Projection::load(source, &format!("{projector}{name}"), width, size, has_bias)
        };
        Ok(Self {
            first: map("linear_1", width)?,
            activation,
            second: map("linear_2", size)?,
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
        let rows = self.second.forward(&self.first.activated(&rows, self.activation)?, None)?;
        rows.reshape((pictures, count, self.size))
    }
}
