//! Squares of neighbouring patches as one row each.
//!
//! Only the order of numbers changes, so what a wrong order gives looks right. Pixel shuffles of transformers, with their reshapes and
//! swaps of axes, amount to the first order; `unfold` gives the second.

use candle_core::{Result, Tensor};

/// The order of the numbers of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Patch by patch, row by row of the square.
    PatchByPatch,
    /// Channel by channel, each of all patches row by row.
    ChannelByChannel,
}

/// `(pictures × rows × columns, size)` as `(pictures × (rows / side) × (columns / side), side² × size)`. Patches right of and below
/// the last whole square are left out.
pub(super) fn pixel_shuffle(
    stream: &Tensor,
    [pictures, rows, columns]: [usize; 3],
    side: usize,
    order: Order,
) -> Result<Tensor> {
    let size = stream.dim(1)?;
    let (down, across) = (rows / side.max(1), columns / side.max(1));
    if down * across == 0 {
        candle_core::bail!("{columns}×{rows} patches have no square of {side}×{side}")
    }
    let squares = stream
        .reshape((pictures, rows, columns, size))?
        .narrow(1, 0, down * side)?
        .narrow(2, 0, across * side)?
        .reshape(&[pictures, down, side, across, side, size])?;
    let axes = match order {
        Order::PatchByPatch => [0, 1, 3, 2, 4, 5],
        Order::ChannelByChannel => [0, 1, 3, 5, 2, 4],
    };
    squares.permute(axes)?.reshape((pictures * down * across, side * side * size))
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    /// Two pictures of 2 × 5 patches of two numbers: picture, row, column and channel are its digits.
    fn stream() -> Tensor {
        let mut numbers = Vec::new();
        for picture in [1000, 2000] {
            for row in [0, 100] {
                for column in [0, 10, 20, 30, 40] {
                    numbers.extend([0, 1].map(|channel| (picture + row + column + channel) as f32));
                }
            }
        }
        Tensor::from_vec(numbers, (20, 2), &Device::Cpu).unwrap()
    }

    #[test]
    fn a_square_is_patch_by_patch_or_channel_by_channel() {
        for (order, second, third) in [
            (
                Order::PatchByPatch,
                [1020, 1021, 1030, 1031, 1120, 1121, 1130, 1131],
                [2000, 2001, 2010, 2011, 2100, 2101, 2110, 2111],
            ),
            (
                Order::ChannelByChannel,
                [1020, 1030, 1120, 1130, 1021, 1031, 1121, 1131],
                [2000, 2010, 2100, 2110, 2001, 2011, 2101, 2111],
            ),
        ] {
            let shuffled = pixel_shuffle(&stream(), [2, 2, 5], 2, order).unwrap();
            let rows: Vec<Vec<f32>> = shuffled.to_vec2().unwrap();
            assert_eq!(rows.len(), 4, "the fifth column is left out");
            assert_eq!(rows[1], second.map(|number| number as f32), "{order:?}");
            assert_eq!(rows[2], third.map(|number| number as f32), "{order:?}");
        }
        assert!(pixel_shuffle(&stream(), [2, 2, 5], 3, Order::PatchByPatch).is_err());
    }
}
