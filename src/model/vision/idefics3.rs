//! Idefics3 and `SmolVLM`: tiles with tags of their rows and columns, then the whole image; squares of patches become one token.
//!
//! Transformers drops tiles of which every number is 0 as padding of a batch, and then has fewer rows than tokens. Here
//! they are tiles as others are.

use candle_core::Result;

use super::connector::{decoder_width, nested};
use super::fractional_siglip::{self, FractionalSiglip};
use super::pixel_shuffle::{Order, pixel_shuffle};
use super::tower_sizes::TowerSizes;
use super::{ImageRows, VisionFamily, VisionSettings, prefix};
use crate::image::{Layout, ProcessedImage};
use crate::model::error::ModelError;
use crate::model::norm::Norm;
use crate::model::projection::Projection;
use crate::model::weights::ParameterSource;

const DEFAULTS: TowerSizes = TowerSizes {
    hidden_size: 1152,
    inner_size: 3072,
    layers: 12,
    heads: 16,
    image_side: 224,
    patch_side: 32,
};

/// Patches along a side of a token that a config may ask for.
const MOST_MERGED: usize = 64;

const IMAGE: &str = "<image>";
/// Before each picture, and behind the last one.
const AROUND: &str = "<fake_token_around_image>";
/// Before the tokens of the whole image.
const WHOLE: &str = "<global-img>";

#[derive(Debug)]
struct Idefics3 {
    tower: FractionalSiglip,
    patch_side: usize,
    final_norm: Norm,
    merged: usize,
    connector: Projection,
}

/// Loads what sees of a checkpoint.
pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let config = settings.config;
    let tower_config = nested(config, "vision_config")?;
    let sizes = TowerSizes::read(&tower_config, DEFAULTS)?;
    let merged = config.count_or("scale_factor", 2)?;
    if merged > MOST_MERGED {
        return Err(config.expected("scale_factor", "the side of a square in patches"));
    }
    let size = sizes.hidden_size;
    let tower = prefix(source, &["model.vision_model.", "vision_model."], "post_layernorm.weight");
    let connector = prefix(source, &["model.", ""], "connector.modality_projection.proj.weight");
    let norm = fractional_siglip::norm(&tower_config)?;
    Ok(Box::new(Idefics3 {
        tower: FractionalSiglip::load(source, tower, &tower_config, &sizes, sizes.layers)?,
        patch_side: sizes.patch_side,
        final_norm: Norm::load(source, &format!("{tower}post_layernorm"), norm, size)?,
        merged,
        connector: Projection::load(
            source,
            &format!("{connector}connector.modality_projection.proj"),
            merged * merged * size,
            decoder_width(config)?,
            false,
        )?,
    }))
}

impl VisionFamily for Idefics3 {
    fn placeholder(&self) -> &str {
        IMAGE
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        let (Layout::Tiles { rows, columns }, &[_, _, height, width]) =
            (&image.layout, image.shape.as_slice())
        else {
            candle_core::bail!("the image was not prepared as tiles")
        };
        let along = |side: usize| side / self.patch_side / self.merged;
        let tokens = IMAGE.repeat(along(height) * along(width));
        let whole = format!("{AROUND}{WHOLE}{tokens}{AROUND}");
        if rows * columns == 1 {
            return Ok(whole);
        }
        let row = |row: usize| {
            let tile = |column: usize| format!("{AROUND}<row_{row}_col_{column}>{tokens}");
            (1..=*columns).map(tile).chain(["\n".to_owned()]).collect::<String>()
        };
        let tiles: String = (1..=*rows).map(row).collect();
        Ok(format!("{tiles}\n{whole}"))
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        let patches = self.tower.forward(image, None)?;
        let (rows, columns) = (patches.rows, patches.columns);
        if rows != columns || !rows.is_multiple_of(self.merged) {
            let merged = self.merged;
            candle_core::bail!("{rows} × {columns} patches are no square of {merged} × {merged}")
        }
        let normed = self.final_norm.forward(&patches.stream)?;
        let grid = [patches.pictures, rows, columns];
        let squares = pixel_shuffle(&normed, grid, self.merged, Order::PatchByPatch)?;
        let rows = self.connector.forward(&squares, None)?;
        Ok(ImageRows { rows, added: Vec::new(), grid: None })
    }
}
