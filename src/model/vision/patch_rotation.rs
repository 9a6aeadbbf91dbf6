//! Rotation of queries and keys by where a patch is: half of a head's pairs turn with its row, half with its column.
//!
//! Speeds are those of text of half a head's size, the same for both axes. Arithmetic is f32 in the order of transformers.

use candle_core::{DType, Device, Result, Tensor};

use crate::ops::rotary::Angles;

/// Which pairs of a head turn with the row, and which with the column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AxisOrder {
    /// The first half with the row, the second with the column.
    RowsThenColumns,
    /// By turns, the column first.
    ColumnRowByTurns,
}

/// The speeds of a tower's heads.
#[derive(Clone, Debug)]
pub(super) struct PatchRotation {
    /// Radians per patch, for each pair of an axis.
    frequencies: Vec<f32>,
    order: AxisOrder,
}

impl PatchRotation {
    /// For heads whose size is a multiple of four.
    pub(super) fn new(head_size: usize, theta: f64, order: AxisOrder) -> Self {
        let axis_size = (head_size / 2) as f32;
        let frequencies = (0..head_size / 4)
            .map(|pair| 1.0 / (theta as f32).powf((2 * pair) as f32 / axis_size))
            .collect();
        Self { frequencies, order }
    }

    /// The angles of patches at these rows and columns, `(patches, head size / 2)`.
    pub(super) fn angles(
        &self,
        places: &[[usize; 2]],
        device: &Device,
        dtype: DType,
    ) -> Result<Angles<'static>> {
        let pairs = 2 * self.frequencies.len();
        let mut angles = Vec::with_capacity(places.len() * pairs);
        for &[row, column] in places {
            let [row, column] = [row as f32, column as f32];
            match self.order {
                AxisOrder::RowsThenColumns => {
                    angles.extend(self.frequencies.iter().map(|frequency| row * frequency));
                    angles.extend(self.frequencies.iter().map(|frequency| column * frequency));
                }
                AxisOrder::ColumnRowByTurns => {
                    let both = |frequency: &f32| [column * frequency, row * frequency];
                    angles.extend(self.frequencies.iter().flat_map(both));
                }
            }
        }
        let table = |of: fn(f32) -> f32| {
            let numbers = angles.iter().map(|&angle| of(angle)).collect();
            Tensor::from_vec(numbers, (places.len(), pairs), device)?.to_dtype(dtype)
        };
        Ok(Angles { cosines: table(f32::cos)?, sines: table(f32::sin)?, positions: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_axis_turns_its_pairs() {
        let sines = |order| {
            let rotation = PatchRotation::new(8, 100.0, order);
            let angles = rotation.angles(&[[0, 0], [1, 2]], &Device::Cpu, DType::F32).unwrap();
            angles.sines.to_vec2::<f32>().unwrap()
        };
        // The second pair of an axis is ten times slower.
        let [row, slow_row, column, slow_column] = [1.0_f32, 0.1, 2.0, 0.2].map(f32::sin);
        for (order, wanted) in [
            (AxisOrder::RowsThenColumns, [row, slow_row, column, slow_column]),
            (AxisOrder::ColumnRowByTurns, [column, row, slow_column, slow_row]),
        ] {
            let found = sines(order);
            assert_eq!(found[0], [0.0; 4]);
            assert!(found[1].iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
        }
    }
}
