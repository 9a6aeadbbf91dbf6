//! Gemma 3: patches of a `SigLIP` tower, of which squares are averaged into one token.
//!
//! The processor's "pan and scan", more pictures of a long image, is refused where images are processed.

use candle_core::{DType, Result, Tensor};
use serde_json::Value;

use super::clip::ClipTower;
use super::clip_spec::ClipSpec;
use super::llava::whole;
use super::projected_tower::PROJECTORS;
use super::taken_layers::TakenLayers;
use super::text_size::text_size;
use super::{ImageRows, VisionFamily, VisionSettings, prefix};
use crate::image::ProcessedImage;
use crate::model::error::ModelError;
use crate::model::norm::Norm;
use crate::model::projection::Projection;
use crate::model::spec::NormSpec;
use crate::model::weights::ParameterSource;
use crate::ops::linear::Weight;

const START: &str = "<start_of_image>";
const TOKEN: &str = "<image_soft_token>";
const END: &str = "<end_of_image>";

#[derive(Debug)]
struct Gemma3 {
    tower: ClipTower,
    /// Tokens along a side of an image.
    side: usize,
    /// Patches along a side of a token.
    merged: usize,
    norm: Norm,
    map: Projection,
}

pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    const TOKENS: &str = "mm_tokens_per_image";
    let config = settings.config;
    let spec = ClipSpec::read_siglip(config)?;
    let tokens = config.count_or(TOKENS, 256)?;
    let side = tokens.isqrt();
    let merged = spec.grid() / side;
    if side * side != tokens || merged == 0 || spec.grid() / merged != side {
        return Err(config.expected(TOKENS, "a square whose side patches of an image fill"));
    }
    // What the processor would put into the prompt is what the tower gives, or the two are of different models.
    if let Some(stated) = settings.of_processor("image_seq_length")
        && stated != &Value::from(tokens)
    {
        return Err(config.expected(TOKENS, "`image_seq_length` of the processor_config.json"));
    }
    let (hidden_size, size) = (spec.hidden_size(), text_size(config)?);
    let projector = prefix(source, PROJECTORS, "mm_input_projection_weight");
    let name = format!("{projector}mm_input_projection_weight");
    let weight = source.parameter(&name, &[hidden_size, size])?.t()?.contiguous()?;
    let rule = NormSpec::Rms { epsilon: spec.epsilon, weight_offset: 1.0 };
    Ok(Box::new(Gemma3 {
        side,
        merged,
        norm: Norm::load(source, &format!("{projector}mm_soft_emb_norm"), rule, hidden_size)?,
        map: Projection { weight: Weight::plain(weight)?, bias: None },
        tower: ClipTower::load(source, spec.clone(), TakenLayers::normed(&spec))?,
    }))
}

impl VisionFamily for Gemma3 {
    fn placeholder(&self) -> &str {
        START
    }

    fn image_token(&self) -> &str {
        TOKEN
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        whole(image)?;
        Ok(format!("\n\n{START}{}{END}\n\n", TOKEN.repeat(self.side * self.side)))
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        whole(image)?;
        let rows = averaged(&self.tower.forward(image)?, self.tower.grid(), self.merged)?;
        Ok(ImageRows::of(self.map.forward(&self.norm.forward(&rows)?, None)?))
    }

    fn sees_both_ways(&self) -> bool {
        true
    }
}

/// The means of squares of `merged²` of `grid²` rows, row by row; rows of squares that are not whole are left out.
fn averaged(rows: &Tensor, grid: usize, merged: usize) -> Result<Tensor> {
    let size = rows.dim(candle_core::D::Minus1)?;
    let side = grid / merged;
    let whole = side * merged;
    let squares = rows.reshape((grid, grid, size))?.narrow(0, 0, whole)?.narrow(1, 0, whole)?;
    let squares = squares.contiguous()?.reshape((side, merged, side, merged, size))?;
    // Sums of half precision would lose what they add.
    let means = squares.to_dtype(DType::F32)?.mean((1, 3))?;
    means.reshape((side * side, size))?.to_dtype(rows.dtype())
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn squares_are_averaged_and_what_is_left_over_is_cut() {
        // 5 × 5 rows of one number, squares of 2 × 2.
        let numbers: Vec<f32> = (0..25u8).map(f32::from).collect();
        let rows = Tensor::from_vec(numbers, (1, 25, 1), &Device::Cpu).unwrap();
        let means = averaged(&rows, 5, 2).unwrap().to_vec2::<f32>().unwrap();
        assert_eq!(means, [[3.0], [5.0], [13.0], [15.0]]);
    }
}
