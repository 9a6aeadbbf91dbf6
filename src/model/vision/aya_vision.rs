//! Aya Vision: tiles and then the whole image, each of which has a name in the prompt; squares of neighbouring patches are one token.

use candle_core::{Result, Tensor};

use super::clip::ClipTower;
use super::clip_spec::ClipSpec;
use super::llava::IMAGE;
use super::projected_tower::PROJECTORS;
use super::taken_layers::TakenLayers;
use super::text_size::text_size;
use super::{ImageRows, VisionFamily, VisionSettings, prefix};
use crate::image::{Layout, ProcessedImage};
use crate::model::error::ModelError;
use crate::model::norm::Norm;
use crate::model::projection::Projection;
use crate::model::spec::NormSpec;
use crate::model::weights::ParameterSource;
use crate::ops::activation::{Activation, gated_activation};

#[derive(Debug)]
struct AyaVision {
    tower: ClipTower,
    /// Patches along a side of a token.
    merged: usize,
    norm: Norm,
    first: Projection,
    second: Projection,
    texts: Texts,
}

/// What stands for an image in a prompt, and for its parts.
#[derive(Debug)]
struct Texts {
    image: String,
    start: String,
    end: String,
    token: String,
    tile: String,
    whole: String,
}

impl Texts {
    fn read(settings: VisionSettings<'_>) -> Self {
        Self {
            image: settings.token("image_token", IMAGE),
            start: settings.token("start_of_img_token", "<|START_OF_IMG|>"),
            end: settings.token("end_of_img_token", "<|END_OF_IMG|>"),
            token: settings.token("img_patch_token", "<|IMG_PATCH|>"),
            tile: settings.token("tile_token", "TILE"),
            whole: settings.token("tile_global_token", "TILE_GLOBAL"),
        }
    }
}

pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let config = settings.config;
    let spec = ClipSpec::read_siglip(config)?;
    let taken = TakenLayers::read(config, &spec, -1, "full")?;
    if taken.count() != 1 {
        return Err(config.unsupported("vision_feature_layer"));
    }
    if taken.rows(&spec) != spec.grid() * spec.grid() {
        return Err(config.unsupported("vision_feature_select_strategy"));
    }
    let merged = config.count_or("downsample_factor", 2)?;
    if !spec.grid().is_multiple_of(merged) {
        return Err(config.expected("downsample_factor", "a divisor of a side's patches"));
    }
    let size = text_size(config)?;
    let inner_size = config.count_or("alignment_intermediate_size", size)?;
    if !inner_size.is_multiple_of(2) {
        return Err(config.expected("alignment_intermediate_size", "an even number"));
    }
    let width = spec.hidden_size() * merged * merged;
    let rule = NormSpec::layer(config.number_or("adapter_layer_norm_eps", 1e-6)?);
    let projector = prefix(source, PROJECTORS, "linear_1.weight");
    let place = |name: &str| format!("{projector}{name}");
    Ok(Box::new(AyaVision {
        merged,
        norm: Norm::load(source, &place("layernorm"), rule, width)?,
        first: Projection::load(source, &place("linear_1"), width, inner_size, true)?,
        second: Projection::load(source, &place("linear_2"), inner_size / 2, size, true)?,
        tower: ClipTower::load(source, spec, taken)?,
        texts: Texts::read(settings),
    }))
}

impl AyaVision {
    /// Tokens of a tile.
    fn tokens(&self) -> usize {
        let side = self.tower.grid() / self.merged;
        side * side
    }
}

impl VisionFamily for AyaVision {
    fn placeholder(&self) -> &str {
        &self.texts.image
    }

    fn image_token(&self) -> &str {
        &self.texts.token
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        let tiles = tiles(image)?;
        let Texts { start, end, token, tile, whole, .. } = &self.texts;
        let tokens = token.repeat(self.tokens());
        let mut parts = vec![start.clone()];
        parts.extend((1..=tiles).map(|number| format!("{tile}_{number}{tokens}")));
        parts.push(format!("{whole}{tokens}{end}"));
        Ok(parts.concat())
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        tiles(image)?;
        let rows = merged(&self.tower.forward(image)?, self.tower.grid(), self.merged)?;
        let inner = self.first.forward(&self.norm.forward(&rows)?, None)?;
        let half = inner.dim(1)? / 2;
        let (up, gate) = (inner.narrow(1, 0, half)?, inner.narrow(1, half, half)?);
        let inner = gated_activation(&gate, &up, Activation::Silu)?;
        Ok(ImageRows::of(self.second.forward(&inner.contiguous()?, None)?))
    }
}

/// Tiles in front of the whole image; an image of one tile has none.
fn tiles(image: &ProcessedImage) -> Result<usize> {
    let pictures = image.shape.first().copied().unwrap_or(0);
    match image.layout {
        Layout::Tiles { rows: 1, columns: 1 } if pictures == 1 => Ok(0),
        Layout::Tiles { rows, columns } if pictures == rows * columns + 1 => Ok(rows * columns),
        ref layout => candle_core::bail!(
            "this model sees tiles and then the whole image, and its image processor makes {layout}; \
             the preprocessor_config.json is of another model"
        ),
    }
}

/// Squares of `merged²` of the `grid²` rows of every picture, one behind the other within a row: row by row, and so within squares.
fn merged(rows: &Tensor, grid: usize, merged: usize) -> Result<Tensor> {
    let (pictures, _, size) = rows.dims3()?;
    let side = grid / merged;
    let rows = rows.reshape((pictures * side, merged, side, merged * size))?.transpose(1, 2)?;
    rows.contiguous()?.reshape((pictures * side * side, merged * merged * size))
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn neighbours_of_a_square_stand_row_by_row() {
        // Two pictures of 4 × 4 rows of two numbers.
        let numbers: Vec<f32> = (0..64u8).map(f32::from).collect();
        let rows = Tensor::from_vec(numbers, (2, 16, 2), &Device::Cpu).unwrap();
        let merged = merged(&rows, 4, 2).unwrap().to_vec2::<f32>().unwrap();
        assert_eq!(merged.len(), 8);
        assert_eq!(merged[0], [0.0, 1.0, 2.0, 3.0, 8.0, 9.0, 10.0, 11.0]);
        assert_eq!(merged[1], [4.0, 5.0, 6.0, 7.0, 12.0, 13.0, 14.0, 15.0]);
        assert_eq!(merged[6], [48.0, 49.0, 50.0, 51.0, 56.0, 57.0, 58.0, 59.0]);
    }
}
