//! Factors some families put on embeddings, queries, residual branches and logits.

use candle_core::{Result, Tensor};

use super::host;

/// `input` times `factor`, if there is one.
pub(super) fn scale(input: Tensor, factor: Option<f64>) -> Result<Tensor> {
    match factor {
        Some(factor) => input * factor,
        None => Ok(input),
    }
}

/// The first `columns` numbers of every row times the row's factor.
///
/// In host memory the tensor itself changes, so it must not be read elsewhere.
pub fn scale_columns(input: Tensor, columns: usize, factors: &[f32]) -> Result<Tensor> {
    let (rows, width) = input.dims2()?;
    if factors.len() != rows || columns > width {
        candle_core::bail!("{} factors on {columns} of {rows} × {width} numbers", factors.len())
    }
    if !input.device().is_cpu() {
        let column = Tensor::new(factors, input.device())?.to_dtype(input.dtype())?.unsqueeze(1)?;
        let scaled = input.narrow(1, 0, columns)?.broadcast_mul(&column)?;
        return Tensor::cat(&[scaled, input.narrow(1, columns, width - columns)?], 1);
    }
    host::change(&input, |numbers| {
        for (row, factor) in numbers.chunks_exact_mut(width.max(1)).zip(factors) {
            row[..columns].iter_mut().for_each(|number| *number *= factor);
        }
    })?;
    Ok(input)
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn rows_are_scaled_as_far_as_asked() {
        let rows = [[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let input = || Tensor::new(&rows, &Device::Cpu).unwrap();
        let scaled = |columns, factors: &[f32]| scale_columns(input(), columns, factors);
        let scaled_rows = scaled(2, &[1.0, 0.5]).unwrap().to_vec2::<f32>().unwrap();
        assert_eq!(scaled_rows, [[1.0, 2.0, 3.0], [2.0, 2.5, 6.0]]);
        assert!(scaled(4, &[1.0, 0.5]).is_err());
        assert!(scaled(2, &[0.5]).is_err());
    }
}
