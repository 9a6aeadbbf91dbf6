//! Numbers cut to an interval.

use candle_core::{Result, Tensor};

use super::host;

/// Cuts every number to ± `limit`.
///
/// In host memory the tensor itself changes, so it must not be read elsewhere.
pub fn clamp(input: Tensor, limit: f64) -> Result<Tensor> {
    if !input.device().is_cpu() {
        return input.clamp(-limit, limit);
    }
    let limit = limit.abs() as f32;
    host::change(&input, |numbers| {
        for number in numbers {
            *number = number.clamp(-limit, limit);
        }
    })?;
    Ok(input)
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn what_is_no_number_stays_none() {
        let input = Tensor::new(&[-3f32, 0.5, 2.0, f32::NAN], &Device::Cpu).unwrap();
        let output = clamp(input, 1.0).unwrap().to_vec1::<f32>().unwrap();
        assert_eq!(output[..3], [-1.0, 0.5, 1.0]);
        assert!(output[3].is_nan());
    }
}
