//! Linear maps that are not stored as a tensor of their own.
//!
//! Some families keep several maps of the same input in one matrix, one below the other or head by
//! head, and some keep matrices the other way round. The decoder wants `(out, in)` with the outputs
//! in its own order; a [`StoredMatrix`] says which stored rows these are.

use std::ops::Range;

use candle_core::{Result, Tensor};

/// Rows of a stored matrix, in the order they are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredMatrix {
    /// The map's name, without `.weight` and `.bias`.
    pub(super) name: String,
    /// How many outputs the stored matrix has.
    pub(super) stored_rows: usize,
    /// Which of them are wanted.
    pub(super) rows: Vec<Range<usize>>,
    /// It is stored as `(in, out)`.
    pub(super) transposed: bool,
}

impl StoredMatrix {
    /// One stretch of the rows of the matrix `name`.
    pub(super) fn part(
        name: String,
        stored_rows: usize,
        rows: Range<usize>,
        transposed: bool,
    ) -> Self {
        Self { name, stored_rows, rows: std::iter::once(rows).collect(), transposed }
    }

    /// Whether it is the stored matrix as it stands.
    pub(super) fn is_whole(&self) -> bool {
        !self.transposed && matches!(&*self.rows, [all] if *all == (0..self.stored_rows))
    }

    /// The name of its weight.
    pub(super) fn weight_name(&self) -> String {
        format!("{}.weight", self.name)
    }

    /// The name of its bias, which has a number for every stored row.
    pub(super) fn bias_name(&self) -> String {
        format!("{}.bias", self.name)
    }

    /// The shape of the stored matrix.
    pub(super) fn shape(&self, input_size: usize) -> [usize; 2] {
        if self.transposed {
            [input_size, self.stored_rows]
        } else {
            [self.stored_rows, input_size]
        }
    }

    /// The wanted rows of `stored`, whose first dimension is that of the stored outputs.
    pub(super) fn select(&self, stored: &Tensor) -> Result<Tensor> {
        let parts = self
            .rows
            .iter()
            .map(|rows| stored.narrow(0, rows.start, rows.len()))
            .collect::<Result<Vec<_>>>()?;
        Tensor::cat(&parts, 0)
    }
}

/// A matrix of `columns` columns the other way round; its numbers take `number_bytes` each.
pub(super) fn transposed(bytes: &[u8], columns: usize, number_bytes: usize) -> Vec<u8> {
    let row_bytes = (columns * number_bytes).max(1);
    let mut turned = Vec::with_capacity(bytes.len());
    for column in 0..columns {
        let place = column * number_bytes..(column + 1) * number_bytes;
        for row in bytes.chunks_exact(row_bytes) {
            turned.extend_from_slice(&row[place.clone()]);
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn rows_come_in_the_wanted_order_from_either_side() {
        let matrix = StoredMatrix {
            name: "m".to_owned(),
            stored_rows: 3,
            rows: vec![2..3, 0..2],
            transposed: true,
        };
        assert_eq!(matrix.shape(2), [2, 3]);
        // (2, 3) as bytes; its transpose is (3, 2).
        assert_eq!(*transposed(&[1, 2, 3, 4, 5, 6], 3, 1), [1, 4, 2, 5, 3, 6]);
        assert_eq!(*transposed(&[1, 1, 2, 2, 3, 3, 4, 4], 2, 2), [1, 1, 3, 3, 2, 2, 4, 4]);
        let stored = Tensor::new(&[[1f32, 4.0], [2.0, 5.0], [3.0, 6.0]], &Device::Cpu).unwrap();
        let selected = matrix.select(&stored).unwrap().to_vec2::<f32>().unwrap();
        assert_eq!(selected, [[3.0, 6.0], [1.0, 4.0], [2.0, 5.0]]);
    }
}
