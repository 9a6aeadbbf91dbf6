//! RMS norm and layer norm over the last dimension.

use candle_core::{DType, Result, Tensor};

/// x / √(mean(x²) + ε) · weight, with the mean in f32 (Zhang & Sennrich 2019).
pub fn rms_norm(input: &Tensor, weight: &Tensor, epsilon: f64) -> Result<Tensor> {
    candle_nn::ops::rms_norm(&input.contiguous()?, weight, epsilon as f32)
}

/// (x − mean) / √(variance + ε) · weight + bias, in f32 (Ba et al. 2016).
///
/// Without a weight it is one, without a bias zero.
pub fn layer_norm(
    input: &Tensor,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    epsilon: f64,
) -> Result<Tensor> {
    let dtype = input.dtype();
    let input = input.to_dtype(DType::F32)?;
    let centred = input.broadcast_sub(&input.mean_keepdim(candle_core::D::Minus1)?)?;
    let variance = centred.sqr()?.mean_keepdim(candle_core::D::Minus1)?;
    let mut output = centred.broadcast_div(&(variance + epsilon)?.sqrt()?)?.to_dtype(dtype)?;
    if let Some(weight) = weight {
        output = output.broadcast_mul(weight)?;
    }
    if let Some(bias) = bias {
        output = output.broadcast_add(bias)?;
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    const ROW: [f32; 4] = [1.0, -2.0, 3.0, 0.5];
    const WEIGHT: [f32; 4] = [1.0, 0.5, 2.0, -1.0];

    fn close(output: &Tensor, expected: impl Fn(usize) -> f32) {
        let output = output.flatten_all().unwrap().to_vec1::<f32>().unwrap();
        for (i, value) in output.iter().enumerate() {
            assert!((value - expected(i)).abs() < 1e-6, "{i}: {value}");
        }
    }

    #[test]
    fn norms_follow_their_formulas() {
        let input = Tensor::new(&[ROW], &Device::Cpu).unwrap();
        let weight = Tensor::new(&WEIGHT, &Device::Cpu).unwrap();
        let root = (ROW.iter().map(|x| x * x).sum::<f32>() / 4.0 + 1e-5).sqrt();
        close(&rms_norm(&input, &weight, 1e-5).unwrap(), |i| ROW[i] / root * WEIGHT[i]);

        let mean = ROW.iter().sum::<f32>() / 4.0;
        let deviation = (ROW.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 4.0 + 1e-5).sqrt();
        close(&layer_norm(&input, Some(&weight), Some(&weight), 1e-5).unwrap(), |i| {
            (ROW[i] - mean) / deviation * WEIGHT[i] + WEIGHT[i]
        });
        close(&layer_norm(&input, None, None, 1e-5).unwrap(), |i| (ROW[i] - mean) / deviation);
    }
}
