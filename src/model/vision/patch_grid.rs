//! Where the patches of an image are.
//!
//! Towers that take images of any size get patches in the order of tokens: the `merged²` of one token follow one another,
//! rows of them before columns, so that joining them is a reshape. What is computed row by row of the image is brought
//! into that order here.

use candle_core::{DType, Device, Result, Tensor};

use crate::image::{Layout, ProcessedImage};

/// Rows and columns of patches, of which squares become one token each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PatchGrid {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Patches along a side of a token; they divide rows and columns.
    merged: usize,
}

impl PatchGrid {
    /// The grid of an image whose patches are in the order of such tokens, or row by row.
    ///
    /// # Errors
    /// The image was prepared for another family, or with settings that are not those of the tower.
    pub(super) fn of(image: &ProcessedImage, merged: usize) -> Result<Self> {
        match image.layout {
            Layout::Patches { rows, columns, merged: together }
                if (together == 1 || together == merged)
                    && rows * columns > 0
                    && rows.is_multiple_of(merged)
                    && columns.is_multiple_of(merged) =>
            {
                Ok(Self { rows, columns, merged })
            }
            _ => candle_core::bail!(
                "the tower takes patches of which {merged} × {merged} become a token; the image processor made {}",
                image.layout
            ),
        }
    }

    /// How many patches there are.
    pub(super) fn patches(self) -> usize {
        self.rows * self.columns
    }

    /// Rows and columns of tokens.
    pub(super) fn tokens(self) -> [usize; 2] {
        [self.rows / self.merged, self.columns / self.merged]
    }

    /// Patches of a token.
    pub(super) fn patches_of_token(self) -> usize {
        self.merged * self.merged
    }

    /// The row and the column of every patch, in the order of tokens.
    pub(super) fn places(self) -> Vec<[usize; 2]> {
        let [token_rows, token_columns] = self.tokens();
        let mut places = Vec::with_capacity(self.patches());
        for token in 0..token_rows * token_columns {
            let first = [token / token_columns, token % token_columns].map(|at| at * self.merged);
            for patch in 0..self.patches_of_token() {
                places.push([first[0] + patch / self.merged, first[1] + patch % self.merged]);
            }
        }
        places
    }

    /// Rows of a tensor that stand for patches row by row, in the order of tokens.
    pub(super) fn in_token_order(self, raster: &Tensor) -> Result<Tensor> {
        let (patches, width) = raster.dims2()?;
        let ([rows, columns], merged) = (self.tokens(), self.merged);
        raster
            .reshape(&[rows, merged, columns, merged, width][..])?
            .permute([0, 2, 1, 3, 4])?
            .reshape((patches, width))
    }

    /// The numbers of an image's patches in the order of tokens, `(patches, numbers of a patch)`.
    ///
    /// # Errors
    /// Patches have not so many numbers.
    pub(super) fn pixels(
        self,
        image: &ProcessedImage,
        numbers: usize,
        device: &Device,
        dtype: DType,
    ) -> Result<Tensor> {
        let shape = (self.patches(), numbers);
        if image.values.len() != shape.0 * shape.1 {
            candle_core::bail!(
                "the tower takes {numbers} numbers of each of {} patches; the image has {} numbers",
                shape.0,
                image.values.len()
            )
        }
        let pixels = Tensor::from_slice(&image.values, shape, device)?.to_dtype(dtype)?;
        match image.layout {
            Layout::Patches { merged: 1, .. } => self.in_token_order(&pixels),
            _ => Ok(pixels),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(rows: usize, columns: usize, merged: usize) -> ProcessedImage {
        let values = (0..rows * columns).map(|number| number as f32).collect();
        let layout = Layout::Patches { rows, columns, merged };
        ProcessedImage { values, shape: vec![rows * columns, 1], layout }
    }

    #[test]
    fn patches_of_a_token_follow_one_another() {
        let image = image(4, 6, 1);
        let grid = PatchGrid::of(&image, 2).unwrap();
        assert_eq!(grid.tokens(), [2, 3]);
        let places = grid.places();
        assert_eq!(places[..6], [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [0, 3]]);
        assert_eq!(places[12..16], [[2, 0], [2, 1], [3, 0], [3, 1]]);
        // Each patch has its number among the rows: what is reordered is where its place says.
        let pixels = grid.pixels(&image, 1, &Device::Cpu, DType::F32).unwrap();
        let found: Vec<f32> = pixels.flatten_all().unwrap().to_vec1().unwrap();
        let wanted: Vec<f32> =
            places.iter().map(|[row, column]| (row * 6 + column) as f32).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn patches_in_order_stay() {
        let image = image(2, 4, 2);
        let grid = PatchGrid::of(&image, 2).unwrap();
        let pixels = grid.pixels(&image, 1, &Device::Cpu, DType::F32).unwrap();
        assert_eq!(pixels.flatten_all().unwrap().to_vec1::<f32>().unwrap(), image.values);
    }

    #[test]
    fn other_arrangements_are_refused() {
        assert!(PatchGrid::of(&image(4, 4, 2), 4).is_err());
        assert!(PatchGrid::of(&image(3, 4, 1), 2).is_err());
        assert!(PatchGrid::of(&image(0, 4, 2), 2).is_err());
        let tiles =
            ProcessedImage { layout: Layout::Tiles { rows: 1, columns: 1 }, ..image(2, 2, 2) };
        assert!(PatchGrid::of(&tiles, 2).is_err());
        let image = image(2, 2, 2);
        let grid = PatchGrid::of(&image, 2).unwrap();
        assert!(grid.pixels(&image, 3, &Device::Cpu, DType::F32).is_err());
    }
}
