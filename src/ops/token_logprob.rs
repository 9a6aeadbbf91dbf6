//! How surprised a row of logits is by a token: log Σ exp(logits) − logit of the token.

use candle_core::{D, DType, Result, Tensor};
use rayon::prelude::*;

use super::host;

/// −ln p(token), in nats, for every `(row, token)` of `targets`.
///
/// `logits` is `(rows, vocabulary)`. A row may have several targets; its log-sum-exp is computed
/// once. A row without a finite log-sum-exp gives values that are not finite. Targets outside
/// `logits` are an error.
pub fn surprisals(logits: &Tensor, targets: &[(usize, u32)]) -> Result<Vec<f32>> {
    let (rows, vocabulary) = logits.dims2()?;
    if targets.iter().any(|&(row, token)| row >= rows || token as usize >= vocabulary) {
        candle_core::bail!("a target lies outside the logits, {rows} × {vocabulary}")
    }
    if !logits.device().is_cpu() {
        return on_device(logits, targets);
    }
    host::read(logits, |logits| {
        let normalisers: Vec<f32> = logits.par_chunks(vocabulary).map(log_sum_exp).collect();
        targets
            .iter()
            .map(|&(row, token)| normalisers[row] - logits[row * vocabulary + token as usize])
            .collect()
    })
}

/// The same with tensor operations, where the logits should not travel to the host.
fn on_device(logits: &Tensor, targets: &[(usize, u32)]) -> Result<Vec<f32>> {
    let normalisers = logits.to_dtype(DType::F32)?.log_sum_exp(D::Minus1)?.to_vec1::<f32>()?;
    let (rows, tokens): (Vec<u32>, Vec<u32>) =
        targets.iter().map(|&(row, token)| (row as u32, token)).unzip();
    let rows = Tensor::new(rows, logits.device())?;
    let tokens = Tensor::new(tokens, logits.device())?.unsqueeze(1)?;
    let chosen = logits.index_select(&rows, 0)?.gather(&tokens, 1)?.squeeze(1)?;
    let chosen = chosen.to_dtype(DType::F32)?.to_vec1::<f32>()?;
    Ok(targets.iter().zip(chosen).map(|(&(row, _), logit)| normalisers[row] - logit).collect())
}

/// log Σ exp(x), shifted by the maximum so that nothing overflows. The sum runs in f64: a hundred
/// thousand small terms must not vanish beside the largest.
fn log_sum_exp(logits: &[f32]) -> f32 {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = logits.iter().map(|&logit| f64::from((logit - highest).exp())).sum();
    (f64::from(highest) + sum.ln()) as f32
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn surprisals_are_the_negative_log_softmax() {
        let logits = Tensor::new(&[[1f32, 2.0, 4.0], [1e4, 0.0, -1e4]], &Device::Cpu).unwrap();
        let targets = [(0, 0), (0, 2), (1, 0), (1, 1)];
        let found = surprisals(&logits, &targets).unwrap();
        let total = 1f64.exp() + 2f64.exp() + 4f64.exp();
        let expected = [total.ln() - 1.0, total.ln() - 4.0, 0.0, 1e4];
        for (found, expected) in found.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} {expected}");
        }
        for (a, b) in found.iter().zip(on_device(&logits, &targets).unwrap()) {
            assert!((a - b).abs() < 1e-5);
        }
    }

    #[test]
    fn damaged_logits_give_no_number_and_wrong_targets_an_error() {
        let logits = Tensor::new(&[[f32::NAN, 1.0]], &Device::Cpu).unwrap();
        assert!(!surprisals(&logits, &[(0, 1)]).unwrap()[0].is_finite());
        assert!(surprisals(&logits, &[(0, 2)]).is_err());
        assert!(surprisals(&logits, &[(1, 0)]).is_err());
    }
}
