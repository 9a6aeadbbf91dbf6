//! Pictures as rows: every patch of pixels through one linear map.
//!
//! Checkpoints store it as a convolution whose stride is its size, which is that map.

use candle_core::{DType, Device, Result, Tensor};

use super::convolution::convolution;
use crate::image::ProcessedImage;
use crate::model::error::ModelError;
use crate::model::projection::Projection;
use crate::model::weights::ParameterSource;

/// The map, and what its pixels become before.
#[derive(Clone, Debug)]
pub(super) struct PatchEmbedding {
    side: usize,
    map: Projection,
    device: Device,
    dtype: DType,
}

/// Pictures of which every patch is a row.
#[derive(Clone, Debug)]
pub(super) struct Patches {
    /// `(pictures × rows × columns, hidden size)`, picture by picture and row by row.
    pub(super) stream: Tensor,
    /// How many pictures.
    pub(super) pictures: usize,
    /// Patches on top of one another.
    pub(super) rows: usize,
    /// Patches beside one another.
    pub(super) columns: usize,
}

impl Patches {
    /// Patches of a picture.
    pub(super) fn of_picture(&self) -> usize {
        self.rows * self.columns
    }
}

impl PatchEmbedding {
    /// Takes the parameters of the convolution `name` over squares of `side` pixels.
    pub(super) fn load(
        source: &dyn ParameterSource,
        name: &str,
        side: usize,
        hidden_size: usize,
        has_bias: bool,
    ) -> std::result::Result<Self, ModelError> {
        let map = convolution(source, name, &[hidden_size, 3, side, side], has_bias)?;
        Ok(Self { side, map, device: source.device().clone(), dtype: source.dtype() })
    }

    /// The patches of an image's pictures. Pixels right of and below the last whole patch have no say.
    ///
    /// # Errors
    /// The image is no list of pictures, or they are smaller than a patch.
    pub(super) fn forward(&self, image: &ProcessedImage) -> Result<Patches> {
        let &[pictures, 3, height, width] = image.shape.as_slice() else {
            candle_core::bail!("a tower of pictures takes no image of the shape {:?}", image.shape)
        };
        let side = self.side;
        let (rows, columns) = (height / side, width / side);
        if pictures * rows * columns == 0 {
            candle_core::bail!("{pictures} pictures of {width}×{height} have no patch of {side}")
        }
        let pixels = Tensor::from_slice(&image.values, image.shape.as_slice(), &self.device)?
            .narrow(2, 0, rows * side)?
            .narrow(3, 0, columns * side)?
            .to_dtype(self.dtype)?
            .reshape(&[pictures, 3, rows, side, columns, side])?
            .permute([0, 2, 4, 1, 3, 5])?
            .reshape((pictures * rows * columns, 3 * side * side))?;
        let stream = self.map.forward(&pixels, None)?;
        Ok(Patches { stream, pictures, rows, columns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Layout;
    use crate::ops::linear::Weight;

    #[test]
    fn a_patch_is_its_channels_one_behind_the_other_and_each_is_row_by_row() {
        // Two pictures of 2 × 5 pixels and patches of 2: the fifth column has no say.
        let values: Vec<f32> = (0..60).map(|number| number as f32).collect();
        let layout = Layout::Tiles { rows: 1, columns: 1 };
        let image = ProcessedImage { values, shape: vec![2, 3, 2, 5], layout };
        let every = Tensor::eye(12, DType::F32, &Device::Cpu).unwrap();
        let map = Projection { weight: Weight::from_tensor(&every).unwrap(), bias: None };
        let embedding = PatchEmbedding { side: 2, map, device: Device::Cpu, dtype: DType::F32 };
        let patches = embedding.forward(&image).unwrap();
        assert_eq!((patches.pictures, patches.rows, patches.columns), (2, 1, 2));
        let rows: Vec<Vec<f32>> = patches.stream.to_vec2().unwrap();
        assert_eq!(rows[1], [2, 3, 7, 8, 12, 13, 17, 18, 22, 23, 27, 28].map(|n| n as f32));
        assert_eq!(rows[2][..5], [30, 31, 35, 36, 40].map(|n| n as f32));
    }
}
