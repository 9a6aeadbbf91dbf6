//! How surprised a row is by a token: log Σ exp(logits) − logit of the token.

use std::ops::Range;

use candle_core::{D, Result, Tensor};

use super::{Head, STRETCH_PANELS};
use crate::ops::curves;
use crate::ops::host;
use crate::ops::linear::block::RowBlock;
use crate::ops::simd::vectorised;
use crate::ops::tile::{COLUMNS, VECTOR};

/// Logits that are held at once where they are not folded.
const LOGITS_PER_TILE: usize = 1 << 24;
/// Rows that are folded at once: bounds the memory for their stretches.
const MOST_ROWS: usize = 4096;

/// −ln p(token), in nats, for every `(row, token)` of `targets`, ascending by row.
///
/// `hidden` is `(rows, hidden size)`. A row may have several targets; its log-sum-exp is computed
/// once. A row without a finite log-sum-exp gives values that are not finite. Targets outside are an
/// error.
pub fn surprisals(hidden: &Tensor, head: Head<'_>, targets: &[(usize, u32)]) -> Result<Vec<f32>> {
    let (rows, _) = hidden.dims2()?;
    let vocabulary = head.weight.output_size();
    if targets.iter().any(|&(row, token)| row >= rows || token as usize >= vocabulary)
        || !targets.is_sorted_by_key(|&(row, _)| row)
    {
        candle_core::bail!("a target lies outside the logits, {rows} × {vocabulary}, or unsorted")
    }
    #[cfg(feature = "cuda")]
    if let crate::ops::linear::Matrix::Plain(weight) = &head.weight.matrix
        && weight.device().is_cuda()
    {
        return crate::ops::cuda::surprisals(hidden, head, weight, targets);
    }
    let plain = !head.weight.is_packed();
    let most_rows = if plain { (LOGITS_PER_TILE / vocabulary).max(1) } else { MOST_ROWS };
    let mut found = Vec::with_capacity(targets.len());
    let mut rest = targets;
    while !rest.is_empty() {
        // The rows of one round, each with its targets.
        let mut distinct: Vec<usize> = Vec::new();
        let mut round = Vec::new();
        for &(row, token) in rest {
            if distinct.last() != Some(&row) {
                if distinct.len() == most_rows {
                    break;
                }
                distinct.push(row);
            }
            round.push((distinct.len() - 1, token));
        }
        rest = &rest[round.len()..];
        found.extend(if plain {
            with_logits(hidden, head, &distinct, &round)?
        } else {
            folded(hidden, head, &distinct, &round)?
        });
    }
    Ok(found)
}

/// With all logits of the rows, by tensor operations.
fn with_logits(
    hidden: &Tensor,
    head: Head<'_>,
    rows: &[usize],
    targets: &[(usize, u32)],
) -> Result<Vec<f32>> {
    let device = hidden.device();
    let rows: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
    let logits = head.logits(&hidden.index_select(&Tensor::new(rows, device)?, 0)?)?;
    let normalisers = logits.log_sum_exp(D::Minus1)?.to_vec1::<f32>()?;
    let (rows, tokens): (Vec<u32>, Vec<u32>) =
        targets.iter().map(|&(row, token)| (row as u32, token)).unzip();
    let tokens = Tensor::new(tokens, device)?.unsqueeze(1)?;
    let chosen = logits.index_select(&Tensor::new(rows, device)?, 0)?.gather(&tokens, 1)?;
    let chosen = chosen.squeeze(1)?.to_vec1::<f32>()?;
    Ok(targets.iter().zip(chosen).map(|(&(row, _), logit)| normalisers[row] - logit).collect())
}

/// The highest logit of a row so far, and Σ exp(logit − highest) in parts.
#[derive(Clone, Copy)]
struct Partial {
    highest: f32,
    sums: [f32; VECTOR],
}

/// While the products go by.
fn folded(
    hidden: &Tensor,
    head: Head<'_>,
    rows: &[usize],
    targets: &[(usize, u32)],
) -> Result<Vec<f32>> {
    let hidden = hidden.contiguous()?;
    let numbers = host::numbers(&hidden)?;
    let size = head.weight.input_size();
    let stretches = head.stretches();
    let mut chosen = vec![0f32; targets.len()];
    // (highest, sum) of every row and stretch.
    let mut partials = vec![0f32; 2 * rows.len() * stretches];
    {
        let chosen = host::Parts::of(&mut chosen);
        let partials = host::Parts::of(&mut partials);
        // The block's targets, by token.
        let sorted = |block: &RowBlock<'_>| {
            let first = targets.partition_point(|&(row, _)| row < block.rows.start);
            let last = targets.partition_point(|&(row, _)| row < block.rows.end);
            let mut own: Vec<(u32, usize, usize)> =
                (first..last).map(|index| (targets[index].1, targets[index].0, index)).collect();
            own.sort_unstable();
            own
        };
        let empty = Partial { highest: f32::NEG_INFINITY, sums: [0.0; VECTOR] };
        head.scan(
            rows.len(),
            |row| &numbers[rows[row] * size..(rows[row] + 1) * size],
            |block| (vec![empty; block.rows.len()], sorted(block)),
            |(states, sorted), block, tokens: Range<usize>, logits| {
                let first = sorted.partition_point(|&(token, ..)| (token as usize) < tokens.start);
                for &(token, row, index) in &sorted[first..] {
                    if token as usize >= tokens.end {
                        break;
                    }
                    let place = (row - block.rows.start) * COLUMNS + token as usize - tokens.start;
                    // SAFETY: a target belongs to one row and one panel.
                    let chosen = unsafe { chosen.part(index..index + 1) };
                    chosen[0] = logits[place];
                }
                fold(states, logits, tokens.len());
            },
            |(states, _), block, stretch| {
                for (row, state) in block.rows.clone().zip(states) {
                    let place = 2 * (row * stretches + stretch);
                    // SAFETY: a row and stretch belong to one task.
                    let partial = unsafe { partials.part(place..place + 2) };
                    partial.copy_from_slice(&[state.highest, state.sums.iter().sum()]);
                }
            },
        )?;
    }
    debug_assert!(stretches * STRETCH_PANELS >= head.weight.panels());
    let normalisers: Vec<f64> = partials.chunks_exact(2 * stretches).map(merge).collect();
    let nll = |(&(row, _), &logit): (&(usize, u32), &f32)| normalisers[row] - f64::from(logit);
    Ok(targets.iter().zip(&chosen).map(nll).map(|nll| nll as f32).collect())
}

/// The log-sum-exp of a row from its stretches. In f64: a hundred thousand small terms must not
/// vanish beside the largest.
fn merge(partials: &[f32]) -> f64 {
    let pairs = || partials.as_chunks::<2>().0.iter();
    let highest = pairs().fold(f32::NEG_INFINITY, |highest, [other, _]| highest.max(*other));
    let sum: f64 = pairs()
        .map(|&[own, sum]| match sum {
            0.0 => 0.0,
            sum => f64::from(own - highest).exp() * f64::from(sum),
        })
        .sum();
    f64::from(highest) + sum.ln()
}

vectorised! {
    /// Takes up one panel of logits, of which `columns` are tokens.
    fn fold(states: &mut [Partial], logits: &[f32], columns: usize) {
        for (state, logits) in states.iter_mut().zip(logits.as_chunks::<COLUMNS>().0) {
            let mut logits = *logits;
            logits[columns..].fill(f32::NEG_INFINITY);
            let mut halves = [state.highest; VECTOR];
            for half in logits.as_chunks::<VECTOR>().0 {
                for (highest, &logit) in halves.iter_mut().zip(half) {
                    *highest = if logit > *highest { logit } else { *highest };
                }
            }
            let mut highest = state.highest;
            for half in halves {
                highest = if half > highest { half } else { highest };
            }
            if highest > state.highest {
                let factor = curves::exp(state.highest - highest);
                state.sums.iter_mut().for_each(|sum| *sum *= factor);
                state.highest = highest;
            }
            // Where all are −∞, nothing is added; what is no number stays none.
            let shift = if highest == f32::NEG_INFINITY { 0.0 } else { highest };
            for half in logits.as_chunks::<VECTOR>().0 {
                for (sum, &logit) in state.sums.iter_mut().zip(half) {
                    *sum += curves::exp(logit - shift);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;
    use crate::ops::linear::Weight;

    /// With the identity as weight, hidden states are logits.
    fn head(vocabulary: usize) -> Weight {
        let eye = Tensor::eye(vocabulary, candle_core::DType::F32, &Device::Cpu).unwrap();
        Weight::from_tensor(&eye).unwrap()
    }

    fn plain(weight: &Weight) -> Head<'_> {
        Head { weight, bias: None, scale: None, soft_cap: None }
    }

    #[test]
    fn surprisals_are_the_negative_log_softmax() {
        let logits = Tensor::new(&[[1f32, 2.0, 4.0], [1e4, 0.0, -1e4]], &Device::Cpu).unwrap();
        let targets = [(0, 0), (0, 2), (1, 0), (1, 1)];
        let weight = head(3);
        let found = surprisals(&logits, plain(&weight), &targets).unwrap();
        let total = 1f64.exp() + 2f64.exp() + 4f64.exp();
        let expected = [total.ln() - 1.0, total.ln() - 4.0, 0.0, 1e4];
        for (found, expected) in found.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn folding_equals_the_logits_in_full() {
        let number = |i: usize| ((i * 7919 + 5) % 1009) as f32 / 252.0 - 2.0;
        let tensor = |rows: usize, columns: usize, seed: usize| {
            let numbers = (0..rows * columns).map(|i| number(i + seed)).collect();
            Tensor::from_vec(numbers, (rows, columns), &Device::Cpu).unwrap()
        };
        let (hidden, matrix) = (tensor(50, 24, 1), tensor(2100, 24, 7));
        let bias = tensor(1, 2100, 3).squeeze(0).unwrap();
        let targets: Vec<(usize, u32)> =
            (0..50).flat_map(|row| [(row, row as u32 * 41), (row, 2099)]).collect();
        let packed = Weight::from_tensor(&matrix).unwrap();
        let kept = Weight::plain(matrix).unwrap();
        for (scale, soft_cap) in [(None, None), (Some(0.3), Some(5.0))] {
            let head = |weight| Head { weight, bias: Some(&bias), scale, soft_cap };
            let fast = surprisals(&hidden, head(&packed), &targets).unwrap();
            let slow = surprisals(&hidden, head(&kept), &targets).unwrap();
            for (fast, slow) in fast.iter().zip(slow) {
                assert!((fast - slow).abs() < 2e-5, "{fast} {slow}");
            }
            let alone = surprisals(&hidden, head(&packed), &targets[66..67]).unwrap();
            assert_eq!(alone, fast[66..67]);
        }
    }

    #[test]
    fn damaged_logits_give_no_number_and_wrong_targets_an_error() {
        let logits = Tensor::new(&[[f32::NAN, 1.0]], &Device::Cpu).unwrap();
        let weight = head(2);
        let head = plain(&weight);
        assert!(!surprisals(&logits, head, &[(0, 1)]).unwrap()[0].is_finite());
        assert!(surprisals(&logits, head, &[(0, 2)]).is_err());
        assert!(surprisals(&logits, head, &[(1, 0)]).is_err());
    }
}
