//! Mixtures of experts: where each row goes, and the sum of what comes back.
//!
//! The networks themselves are linear maps like any other, over the rows that were sent to them
//! (`gather`). Results are added up expert after expert, in the order of their numbers, so a row's
//! bits do not depend on which rows went the same way.

mod grouped;
mod route;
mod sparse_mixer;

use candle_core::{Result, Tensor};

pub use grouped::{BiasedWeight, GroupedExperts};
pub use route::{GroupScore, Route, RouteGroups, RouteRule, RouteScore, route};

use super::host;
use super::linear::add_scaled;

/// The `rows` of `input`, one below the other.
pub fn gather(input: &Tensor, rows: &[u32]) -> Result<Tensor> {
    if rows.is_empty() {
        return input.narrow(0, 0, 0);
    }
    #[cfg(feature = "cuda")]
    if input.device().is_cuda() {
        let count = input.dim(0)?;
        if rows.iter().any(|&row| row as usize >= count) {
            candle_core::bail!("a row lies outside the {count} there are")
        }
        return super::cuda::embedding(rows, input, 1.0);
    }
    input.index_select(&Tensor::new(rows, input.device())?, 0)
}

/// What experts give, each row times its weight, added up where it came from.
#[derive(Debug)]
pub struct ExpertSum {
    sum: Tensor,
    /// On an NVIDIA GPU all results, and where they belong: they are added up at once.
    #[cfg(feature = "cuda")]
    results: (Vec<Tensor>, Vec<(u32, f32)>),
}

impl ExpertSum {
    /// Nothing yet, for as many rows as `rows` has, as long as those.
    pub fn new(rows: &Tensor) -> Result<Self> {
        Ok(Self {
            sum: rows.zeros_like()?,
            #[cfg(feature = "cuda")]
            results: (Vec::new(), Vec::new()),
        })
    }

    /// Adds what the next expert made of `rows`.
    pub fn add(&mut self, output: &Tensor, rows: &[u32], weights: &[f32]) -> Result<()> {
        #[cfg(feature = "cuda")]
        if output.device().is_cuda() {
            self.results.0.push(output.clone());
            self.results.1.extend(rows.iter().copied().zip(weights.iter().copied()));
            return Ok(());
        }
        self.sum = add_weighted(self.sum.clone(), output, rows, weights)?;
        Ok(())
    }

    /// The sum.
    pub fn finish(self) -> Result<Tensor> {
        #[cfg(feature = "cuda")]
        if self.sum.device().is_cuda() {
            return super::cuda::add_experts(&self.sum, &self.results.0, &self.results.1);
        }
        Ok(self.sum)
    }
}

/// Adds `output`, each of its rows times its weight, to the `rows` of `sum`.
///
/// In host memory the sum itself changes, so it must not be read elsewhere.
pub fn add_weighted(sum: Tensor, output: &Tensor, rows: &[u32], weights: &[f32]) -> Result<Tensor> {
    let (count, width) = output.dims2()?;
    let (sum_rows, sum_width) = sum.dims2()?;
    if width != sum_width
        || [rows.len(), weights.len()] != [count; 2]
        || rows.iter().any(|&row| row as usize >= sum_rows)
    {
        candle_core::bail!("{count} × {width} numbers do not fit {sum_rows} × {sum_width}")
    }
    #[cfg(feature = "cuda")]
    if sum.device().is_cuda() {
        let kept = (0..sum_rows as u32).map(|row| (row, 1.0));
        let sent: Vec<(u32, f32)> =
            kept.chain(rows.iter().copied().zip(weights.iter().copied())).collect();
        return super::cuda::add_experts(&sum, &[sum.clone(), output.clone()], &sent);
    }
    if !sum.device().is_cpu() {
        let weights = Tensor::new(weights, sum.device())?.to_dtype(sum.dtype())?;
        let weighted = output.broadcast_mul(&weights.reshape((count, 1))?)?;
        return sum.index_add(&Tensor::new(rows, sum.device())?, &weighted, 0);
    }
    let output = output.contiguous()?;
    let output = host::numbers(&output)?;
    host::change(&sum, |sum| {
        for ((&row, &weight), output) in rows.iter().zip(weights).zip(output.chunks_exact(width)) {
            add_scaled(&mut sum[row as usize * width..][..width], output, weight);
        }
    })?;
    Ok(sum)
}

/// Adds `output`, each of its rows times the sigmoid of its logit, to `sum`; logits are `(rows, 1)`.
///
/// In host memory the sum itself changes, so it must not be read elsewhere.
pub fn add_by_sigmoid(sum: Tensor, output: &Tensor, logits: &Tensor) -> Result<Tensor> {
    #[cfg(feature = "cuda")]
    if sum.device().is_cuda() {
        let residual = super::linear::Residual::of(&sum);
        return super::cuda::finish_product(output, None, Some(logits), Some(residual));
    }
    let weights: Vec<f32> =
        host::read(logits, |logits| logits.iter().map(|&logit| route::sigmoid(logit)).collect())?;
    let rows: Vec<u32> = (0..weights.len() as u32).collect();
    add_weighted(sum, output, &rows, &weights)
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn weighted_rows_are_added_where_they_came_from() {
        let input = Tensor::new(&[[1f32, 2.0], [3.0, 4.0], [5.0, 6.0]], &Device::Cpu).unwrap();
        let gathered = gather(&input, &[2, 0]).unwrap();
        let sum = Tensor::ones((3, 2), candle_core::DType::F32, &Device::Cpu).unwrap();
        let sum = add_weighted(sum, &gathered, &[2, 0], &[0.5, 2.0]).unwrap();
        assert_eq!(sum.to_vec2::<f32>().unwrap(), [[3.0, 5.0], [1.0, 1.0], [3.5, 4.0]]);
        assert!(add_weighted(sum.clone(), &gathered, &[3, 0], &[0.5, 2.0]).is_err());
        assert!(add_weighted(sum, &gathered, &[0], &[0.5]).is_err());
    }
}
