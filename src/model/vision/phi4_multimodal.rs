//! Phi-4-multimodal: tiles whose padding is cut off behind the tower, then the whole image; the mean of four patches is a token.
//!
//! A learned row ends every row of tokens, and another one parts the tiles from the whole image. What listens in such a checkpoint, and the
//! adapters of its decoder, are not read here.

use candle_core::{Result, Tensor};

use super::connector::{Connector, nested};
use super::feature_layer::FeatureLayer;
use super::fractional_siglip::FractionalSiglip;
use super::tower_sizes::TowerSizes;
use super::{ImageRows, VisionFamily, VisionSettings};
use crate::image::{Layout, ProcessedImage};
use crate::model::error::ModelError;
use crate::model::spec::Activation;
use crate::model::weights::ParameterSource;

const DEFAULTS: TowerSizes = TowerSizes {
    hidden_size: 1152,
    inner_size: 4304,
    layers: 27,
    heads: 16,
    image_side: 448,
    patch_side: 14,
};

const IMAGE: &str = "<|image|>";

/// Patches along a side of a token.
const MERGED: usize = 2;

#[derive(Debug)]
struct Phi4Multimodal {
    tower: FractionalSiglip,
    tile_side: usize,
    row_end: Tensor,
    before_whole: Tensor,
    connector: Connector,
}

/// Loads what sees of a checkpoint.
pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let config = settings.config;
    let tower_config = nested(config, "vision_config")?;
    let sizes = TowerSizes::read(&tower_config, DEFAULTS)?;
    if !sizes.patches().is_multiple_of(MERGED) {
        // A row and a column would be mirrored.
        return Err(tower_config.unsupported("image_size"));
    }
    let tile_side = tower_config.count_or("crop_size", 448)?;
    if tile_side / sizes.patch_side != sizes.patches() {
        return Err(tower_config.expected("crop_size", "as many patches as `image_size`"));
    }
    let layer = FeatureLayer::read(&tower_config, "feature_layer", -2, sizes.layers)?;
    let size = sizes.hidden_size;
    let place = |name: &str| format!("model.embed_tokens_extend.image_embed.{name}");
    let tower = place("img_processor.");
    Ok(Box::new(Phi4Multimodal {
        tower: FractionalSiglip::load(source, &tower, &tower_config, &sizes, layer.depth)?,
        tile_side,
        row_end: source.parameter(&place("sub_img_feature_extensor"), &[1, 1, 1, size])?,
        before_whole: source
            .parameter(&place("global_img_feature_extensor"), &[1, 1, size])?
            .reshape((1, size))?,
        connector: Connector::load(
            source,
            [&place("img_projection_up"), &place("img_projection_down")],
            [size, config.count_or("hidden_size", 3072)?],
            Activation::Gelu,
            true,
        )?,
    }))
}

/// How an image was cut.
#[derive(Clone, Copy, Debug)]
struct Cut<'a> {
    rows: usize,
    columns: usize,
    is_image: &'a [bool],
    tokens: usize,
}

impl Phi4Multimodal {
    fn cut<'a>(&self, image: &'a ProcessedImage) -> Result<Cut<'a>> {
        match (&image.layout, image.shape.as_slice()) {
            (
                &Layout::Masked { rows, columns, ref is_image, tokens },
                &[pictures, _, height, width],
            ) if pictures == 1 + rows * columns && [height, width] == [self.tile_side; 2] => {
                Ok(Cut { rows, columns, is_image, tokens })
            }
            _ => candle_core::bail!(
                "the image was not prepared as tiles of {} with a mask",
                self.tile_side
            ),
        }
    }

    /// `(rows, columns, size)` as rows one behind the other, each with what ends it.
    fn lines(&self, grid: &Tensor) -> Result<Tensor> {
        let (rows, columns, size) = grid.dims3()?;
        let ends = self.row_end.reshape((1, 1, size))?.broadcast_as((rows, 1, size))?;
        Tensor::cat(&[grid, &ends], 1)?.reshape((rows * (columns + 1), size))
    }
}

impl VisionFamily for Phi4Multimodal {
    fn placeholder(&self) -> &str {
        IMAGE
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        Ok(IMAGE.repeat(self.cut(image)?.tokens))
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        let Cut { rows, columns, is_image, tokens } = self.cut(image)?;
        let patches = self.tower.forward(image, Some(is_image))?;
        let size = patches.stream.dim(1)?;
        let along = patches.rows / MERGED;
        // The mean of four patches, padding included.
        let means = patches
            .stream
            .reshape(&[patches.pictures * along, MERGED, along, MERGED, size])?
            .sum(3)?
            .sum(1)?
            .affine(1.0 / (MERGED * MERGED) as f64, 0.0)?
            .reshape((patches.pictures, along, along, size))?;
        let [down, across] = shown(is_image, [rows, columns], patches.rows);
        let tiles = means
            .narrow(0, 1, rows * columns)?
            .reshape((rows, columns, along, along * size))?
            .transpose(1, 2)?
            .reshape((rows * along, columns * along, size))?
            .narrow(0, 0, down)?
            .narrow(1, 0, across)?;
        let whole = self.lines(&means.get(0)?)?;
        let all = Tensor::cat(&[self.lines(&tiles)?, self.before_whole.clone(), whole], 0)?;
        if all.dim(0)? != tokens {
            candle_core::bail!("an image of {tokens} tokens has {} rows", all.dim(0)?)
        }
        let rows = self.connector.forward(&all)?;
        Ok(ImageRows { rows, added: Vec::new(), grid: None })
    }
}

/// Rows and columns of tokens of all tiles together that show something: those whose first patch does, in the first column and in the
/// first row. `along` is how many patches a tile has along a side; the mask begins with the whole image.
fn shown(is_image: &[bool], [rows, columns]: [usize; 2], along: usize) -> [usize; 2] {
    let at = |row: usize, column: usize| {
        let tile = 1 + row / along * columns + column / along;
        let place = (tile * along + row % along) * along + column % along;
        is_image.get(place).copied().unwrap_or_default()
    };
    let down = (0..rows * along).step_by(MERGED).filter(|&row| at(row, 0));
    let across = (0..columns * along).step_by(MERGED).filter(|&column| at(0, column));
    [down.count(), across.count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_shows_something_where_its_first_patch_does() {
        // The whole image, and one row of two tiles of 4 × 4 patches: three rows and seven columns are no padding.
        let mut mask = vec![true; 16];
        for tile in 0..2 {
            mask.extend((0..16).map(|patch| patch / 4 < 3 && tile * 4 + patch % 4 < 7));
        }
        assert_eq!(shown(&mask, [1, 2], 4), [2, 4]);
    }
}
