//! Tokens as vectors: rows of the embedding.

use candle_core::{Result, Tensor};
use rayon::prelude::*;

use super::host::{self, Parts};
use super::linear::{Matrix, Panels, Weight};

/// Fewer rows than this are read by one thread.
const TASK_ROWS: usize = 64;

/// The rows `ids` of `table`, times `scale`, `(rows, in)`.
///
/// The table may be the weight of the head, which reads it the other way round.
pub fn embedding(ids: &[u32], table: &Weight, scale: Option<f64>) -> Result<Tensor> {
    if ids.iter().any(|&id| id as usize >= table.output_size()) {
        candle_core::bail!("a token lies outside the embedding of {}", table.output_size())
    }
    let factor = scale.map_or(1.0, |scale| scale as f32);
    match &table.matrix {
        Matrix::F32(panels) => gather(ids, &**panels, factor),
        Matrix::Bf16(panels) => gather(ids, &**panels, factor),
        Matrix::F16(panels) => gather(ids, &**panels, factor),
        Matrix::Quantised(panels) => gather(ids, &**panels, factor),
        Matrix::Fp8(panels) => gather(ids, &**panels, factor),
        #[cfg(feature = "cuda")]
        Matrix::Blocks(blocks) => blocks.embedding(ids, factor),
        Matrix::Plain(matrix) => select(ids, matrix, scale),
    }
}

fn select(ids: &[u32], matrix: &Tensor, scale: Option<f64>) -> Result<Tensor> {
    #[cfg(feature = "cuda")]
    if matrix.device().is_cuda() {
        let factor = scale.map_or(1.0, |scale| scale as f32);
        return super::cuda::embedding(ids, matrix, factor);
    }
    let rows = matrix.index_select(&Tensor::new(ids, matrix.device())?, 0)?;
    super::scale::scale(rows, scale)
}

fn gather(ids: &[u32], table: &impl Panels, factor: f32) -> Result<Tensor> {
    let size = table.input_size();
    let write = |output: &Parts<'_>| {
        ids.par_iter().with_min_len(TASK_ROWS).enumerate().for_each(|(row, &id)| {
            // SAFETY: each row is written once.
            let output = unsafe { output.part(row * size..(row + 1) * size) };
            table.read_output(id as usize, output);
            for number in output {
                *number *= factor;
            }
        });
    };
    // SAFETY: every row is written.
    unsafe { host::filled((ids.len(), size), write) }
}

#[cfg(test)]
mod tests {
    use candle_core::{DType, Device};

    use super::*;

    #[test]
    fn rows_come_out_of_the_panels() {
        let table: Vec<f32> = (0..70 * 5).map(|i| i as f32 / 4.0).collect();
        let table = Tensor::from_vec(table, (70, 5), &Device::Cpu).unwrap();
        for dtype in [DType::F32, DType::BF16, DType::F16] {
            let table = table.to_dtype(dtype).unwrap();
            let ids = [0u32, 69, 31, 32, 31];
            let found = embedding(&ids, &Weight::from_tensor(&table).unwrap(), Some(2.0)).unwrap();
            let table = table.to_dtype(DType::F32).unwrap();
            let plain = Weight::plain(table).unwrap();
            let plain = embedding(&ids, &plain, Some(2.0)).unwrap();
            assert_eq!(found.to_vec2::<f32>().unwrap(), plain.to_vec2::<f32>().unwrap());
            assert!(embedding(&[70], &Weight::plain(found).unwrap(), None).is_err());
        }
    }
}
