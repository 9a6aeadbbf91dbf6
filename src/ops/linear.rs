//! The linear map x · Wᵀ + b.
//!
//! The CPU's matrix multiplication (crate `gemm`) takes other paths for very few rows, which sum in
//! another order. Few rows are therefore padded with zeros up to where the general path begins: a
//! row's result then has the same bits whether it is alone or among thousands.

use candle_core::{Result, Tensor};

/// Products of at most this many numbers may take gemm's path for small results.
const SMALL_RESULT: usize = 16 * 16;
/// Up to this many rows and columns gemm cuts the sum differently, once it is longer than
/// [`UNCUT_SUM`].
const SMALL_SIDE: usize = 64;
/// Sums up to this length are never cut.
const UNCUT_SUM: usize = 512;

/// `input` `(rows, in)` times the transpose of `weight` `(out, in)`, plus `bias` `(out)`.
pub fn linear(input: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    let rows = input.dim(0)?;
    let (output_size, input_size) = weight.dims2()?;
    let fewest_rows = fewest_rows(input_size, output_size);
    let product = if input.device().is_cpu() && rows < fewest_rows {
        input.pad_with_zeros(0, 0, fewest_rows - rows)?.matmul(&weight.t()?)?.narrow(0, 0, rows)?
    } else {
        input.matmul(&weight.t()?)?
    };
    match bias {
        Some(bias) => product.broadcast_add(bias),
        None => Ok(product),
    }
}

/// The fewest rows for which a product of these sizes takes the general path.
fn fewest_rows(input_size: usize, output_size: usize) -> usize {
    if output_size <= SMALL_SIDE && input_size > UNCUT_SUM {
        SMALL_SIDE + 1
    } else {
        (SMALL_RESULT / output_size.max(1) + 1).max(2)
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    /// Numbers that are spread enough for any change in the order of a sum to show.
    fn numbers(rows: usize, columns: usize, seed: usize) -> Tensor {
        let values = (0..rows * columns)
            .map(|i| ((i * 7919 + seed * 104_729) % 65_521) as f32 / 32_760.5 - 1.0)
            .collect();
        Tensor::from_vec(values, (rows, columns), &Device::Cpu).unwrap()
    }

    #[test]
    fn a_rows_bits_do_not_depend_on_the_rows_beside_it() {
        for (input_size, output_size) in
            [(32, 8), (32, 320), (64, 16), (96, 1), (288, 768), (900, 40), (1200, 64), (2100, 130)]
        {
            let input = numbers(150, input_size, 1);
            let weight = numbers(output_size, input_size, 2);
            let together = linear(&input, &weight, None).unwrap().to_vec2::<f32>().unwrap();
            for (start, rows) in [(0, 1), (17, 1), (149, 1), (40, 2), (3, 16), (77, 65), (1, 149)] {
                let alone = linear(&input.narrow(0, start, rows).unwrap(), &weight, None).unwrap();
                assert_eq!(
                    alone.to_vec2::<f32>().unwrap(),
                    together[start..start + rows],
                    "{input_size} → {output_size}, rows {start}+{rows}"
                );
            }
        }
    }

    #[test]
    fn the_bias_is_added_to_every_row() {
        let (input, weight) = (numbers(3, 4, 1), numbers(2, 4, 2));
        let bias = Tensor::new(&[10f32, 20.0], &Device::Cpu).unwrap();
        let with = linear(&input, &weight, Some(&bias)).unwrap().to_vec2::<f32>().unwrap();
        let without = linear(&input, &weight, None).unwrap().to_vec2::<f32>().unwrap();
        for (with, without) in with.iter().zip(&without) {
            assert_eq!(with[0].to_bits(), (without[0] + 10.0).to_bits());
            assert_eq!(with[1].to_bits(), (without[1] + 20.0).to_bits());
        }
    }
}
