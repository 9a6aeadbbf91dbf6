//! Learned positions of a square of patches, resampled to the grid of an image.
//!
//! Both axes are resampled by themselves, as a product with a matrix: a row of it says what a row of patches takes of each row
//! of the table. That is what `torch.nn.functional.interpolate` and `grid_sample` (with its border repeated) compute, in f32.

use candle_core::{DType, Device, Result, Tensor};

use super::patch_grid::PatchGrid;
use crate::model::error::ModelError;
use crate::model::weights::ParameterSource;

/// How numbers between those of the table are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resampling {
    /// On the line between two; the corners of the image are those of the table.
    LinearCorners,
    /// On the cubic through four (Keys 1981, with -3/4); patches have the places of their centres.
    CubicCentres,
}

/// A table of `side × side` positions.
#[derive(Clone, Debug)]
pub(super) struct PositionTable {
    side: usize,
    resampling: Resampling,
    /// `(side, side × width)`, in f32.
    numbers: Tensor,
}

impl PositionTable {
    /// Takes the parameter `name`, of which `stored_shape` ends with the width of a position.
    pub(super) fn load(
        source: &dyn ParameterSource,
        name: &str,
        stored_shape: &[usize],
        side: usize,
        resampling: Resampling,
    ) -> std::result::Result<Self, ModelError> {
        let stored = source.parameter(name, stored_shape)?;
        Ok(Self::new(&stored, side, resampling)?)
    }

    fn new(stored: &Tensor, side: usize, resampling: Resampling) -> Result<Self> {
        let numbers = stored.to_dtype(DType::F32)?.reshape((side, ()))?;
        Ok(Self { side, resampling, numbers })
    }

    /// The positions of an image's patches, in the order of tokens, `(patches, width)` in f32.
    pub(super) fn of(&self, grid: PatchGrid) -> Result<Tensor> {
        let device = self.numbers.device();
        let (rows, columns) = (grid.rows, grid.columns);
        let widened = self.matrix(rows, device)?.matmul(&self.numbers)?;
        let widened = widened.reshape((rows, self.side, ()))?;
        let matrix = self.matrix(columns, device)?;
        let matrix = matrix.broadcast_left(rows)?.contiguous()?;
        let width = widened.dim(2)?;
        grid.in_token_order(&matrix.matmul(&widened)?.reshape((rows * columns, width))?)
    }

    /// What each of `size` patches along an axis takes of the table's places, `(size, side)`.
    fn matrix(&self, size: usize, device: &Device) -> Result<Tensor> {
        let mut matrix = vec![0.0; size * self.side];
        for (at, row) in matrix.chunks_exact_mut(self.side).enumerate() {
            for (place, share) in self.resampling.shares(at, size, self.side) {
                row[place] += share;
            }
        }
        Tensor::from_vec(matrix, (size, self.side), device)
    }
}

impl Resampling {
    /// Places of a table of `side` and how much of each the patch `at` of `size` takes; what lies beyond the border is the border.
    fn shares(self, at: usize, size: usize, side: usize) -> Vec<(usize, f32)> {
        let (at, size, last) = (at as f32, size as f32, side as f32 - 1.0);
        let (place, taken): (f32, &[f32]) = match self {
            Self::LinearCorners => (at * last / (size - 1.0).max(1.0), &[0.0, 1.0]),
            Self::CubicCentres => ((at + 0.5) * side as f32 / size - 0.5, &[-1.0, 0.0, 1.0, 2.0]),
        };
        let first = place.floor();
        let share = |offset: &f32| {
            let distance = (place - first - offset).abs();
            let share = match self {
                Self::LinearCorners => (1.0 - distance).max(0.0),
                Self::CubicCentres => cubic(distance),
            };
            ((first + offset).clamp(0.0, last) as usize, share)
        };
        taken.iter().map(share).collect()
    }
}

/// Keys' kernel up to a distance of 2.
fn cubic(distance: f32) -> f32 {
    const SLOPE: f32 = -0.75;
    if distance <= 1.0 {
        ((SLOPE + 2.0) * distance - (SLOPE + 3.0)) * distance * distance + 1.0
    } else {
        ((SLOPE * distance - 5.0 * SLOPE) * distance + 8.0 * SLOPE) * distance - 4.0 * SLOPE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{Layout, ProcessedImage};

    const BOTH: [Resampling; 2] = [Resampling::LinearCorners, Resampling::CubicCentres];

    fn grid(rows: usize, columns: usize, merged: usize) -> PatchGrid {
        let layout = Layout::Patches { rows, columns, merged };
        PatchGrid::of(&ProcessedImage { values: vec![], shape: vec![], layout }, merged).unwrap()
    }

    /// A table of one number a place: its square, row by row.
    fn squares(side: usize, resampling: Resampling) -> PositionTable {
        let numbers: Vec<f32> = (0..side * side).map(|place| (place * place) as f32).collect();
        let stored = Tensor::from_vec(numbers, (side * side, 1), &Device::Cpu).unwrap();
        PositionTable::new(&stored, side, resampling).unwrap()
    }

    fn resampled(table: &PositionTable, grid: PatchGrid) -> Vec<f32> {
        table.of(grid).unwrap().flatten_all().unwrap().to_vec1().unwrap()
    }

    fn assert_close(found: &[f32], wanted: &[f32]) {
        let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
        assert!(
            found.len() == wanted.len() && found.iter().zip(wanted).all(close),
            "{found:?} instead of {wanted:?}"
        );
    }

    #[test]
    fn a_grid_of_the_tables_size_takes_it_as_it_is() {
        for resampling in BOTH {
            let wanted: Vec<f32> = (0..9).map(|place| (place * place) as f32).collect();
            assert_close(&resampled(&squares(3, resampling), grid(3, 3, 1)), &wanted);
        }
    }

    #[test]
    fn shares_of_a_patch_sum_to_one() {
        for resampling in BOTH {
            for (size, side) in [(1, 4), (2, 4), (5, 4), (7, 48), (100, 16)] {
                for at in 0..size {
                    let shares = resampling.shares(at, size, side);
                    let sum: f32 = shares.iter().map(|(_, share)| share).sum();
                    assert!((sum - 1.0).abs() < 1e-5, "{resampling:?} {at} of {size}: {sum}");
                }
            }
        }
    }

    #[test]
    fn numbers_are_those_of_torch() {
        // interpolate(arange(9).square().view(1, 1, 3, 3), (2, 4), mode, align_corners)
        let linear = [[0.0, 0.666_667, 2.0, 4.0], [36.0, 44.666_668, 54.0, 64.0]];
        let cubic = [
            [0.935_635, 2.008_327, 4.969_212, 7.684_483],
            [29.348_543, 36.258_278, 48.344_27, 56.896_57],
        ];
        for (resampling, wanted) in
            [(Resampling::LinearCorners, linear), (Resampling::CubicCentres, cubic)]
        {
            assert_close(&resampled(&squares(3, resampling), grid(2, 4, 1)), &wanted.concat());
            // In the order of tokens the first two of both rows come first.
            let [upper, lower] = wanted;
            let tokens = [&upper[..2], &lower[..2], &upper[2..], &lower[2..]].concat();
            assert_close(&resampled(&squares(3, resampling), grid(2, 4, 2)), &tokens);
        }
    }
}
