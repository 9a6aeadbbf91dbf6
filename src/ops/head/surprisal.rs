//! How surprised a row is by a token, log Σ exp(logits) − logit of the token, and whether none is likelier.
//!
//! Both come out of one pass over the logits: the log-sum-exp keeps the highest logit anyway, and where that
//! rises, the token that raised it is noted.

use std::ops::Range;

use candle_core::{D, Result, Tensor};

use super::round::{MOST_ROWS, rounds};
use super::{Head, PendingSurprisals, STRETCH_PANELS};
use crate::ops::curves;
use crate::ops::host;
use crate::ops::linear::block::RowBlock;
use crate::ops::simd::vectorised;
use crate::ops::tile::{COLUMNS, VECTOR};

/// Logits that are held at once where they are not folded.
pub(super) const LOGITS_PER_TILE: usize = 1 << 24;

/// What a row says of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surprisal {
    /// −ln p(token), in nats.
    pub nats: f32,
    /// Whether the token is the row's argmax: no logit is higher, and none before it as high. That is the
    /// token that [`most_likely`](super::most_likely) gives where none is banned.
    pub is_likeliest: bool,
}

/// The surprisal of every `(row, token)` of `targets`, ascending by row.
///
/// `hidden` is `(rows, hidden size)`. A row may have several targets; its log-sum-exp is computed
/// once. A row without a finite log-sum-exp gives values that are not finite and calls no token the
/// likeliest. Targets outside are an error.
pub fn surprisals(
    hidden: &Tensor,
    head: Head<'_>,
    targets: &[(usize, u32)],
) -> Result<PendingSurprisals> {
    let (rows, _) = hidden.dims2()?;
    let vocabulary = head.weight.output_size();
    if targets.iter().any(|&(row, token)| row >= rows || token as usize >= vocabulary)
        || !targets.is_sorted_by_key(|&(row, _)| row)
    {
        candle_core::bail!("a target lies outside the logits, {rows} × {vocabulary}, or unsorted")
    }
    #[cfg(feature = "cuda")]
    if head.weight.is_on_gpu() {
        let arriving = crate::ops::cuda::surprisals(hidden, head, targets)?;
        return Ok(PendingSurprisals::Arriving(arriving));
    }
    let plain = !head.weight.is_packed();
    let most_rows = if plain { (LOGITS_PER_TILE / vocabulary).max(1) } else { MOST_ROWS };
    let mut found = Vec::with_capacity(targets.len());
    for (rows, targets) in rounds(targets, most_rows) {
        found.extend(if plain {
            with_logits(hidden, head, &rows, &targets)?
        } else {
            folded(hidden, head, &rows, &targets)?
        });
    }
    Ok(PendingSurprisals::Known(found))
}

/// With all logits of the rows, by tensor operations.
fn with_logits(
    hidden: &Tensor,
    head: Head<'_>,
    rows: &[usize],
    targets: &[(usize, u32)],
) -> Result<Vec<Surprisal>> {
    let device = hidden.device();
    let rows: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
    let logits = head.logits(&hidden.index_select(&Tensor::new(rows, device)?, 0)?)?;
    let normalisers = logits.log_sum_exp(D::Minus1)?.to_vec1::<f32>()?;
    // candle gives the first of equals on every device.
    let likeliest = logits.argmax(D::Minus1)?.to_vec1::<u32>()?;
    let (rows, tokens): (Vec<u32>, Vec<u32>) =
        targets.iter().map(|&(row, token)| (row as u32, token)).unzip();
    let tokens = Tensor::new(tokens, device)?.unsqueeze(1)?;
    let chosen = logits.index_select(&Tensor::new(rows, device)?, 0)?.gather(&tokens, 1)?;
    let chosen = chosen.squeeze(1)?.to_vec1::<f32>()?;
    let surprisal = |(&(row, token), logit): (&(usize, u32), f32)| Surprisal {
        nats: normalisers[row] - logit,
        is_likeliest: normalisers[row].is_finite() && likeliest[row] == token,
    };
    Ok(targets.iter().zip(chosen).map(surprisal).collect())
}

/// The highest logit of a row so far, and Σ exp(logit − highest) in parts.
#[derive(Clone, Copy)]
struct Partial {
    highest: f32,
    /// The first token that has it; any where all are −∞.
    likeliest: u32,
    sums: [f32; VECTOR],
}

/// A row's logits of one stretch.
#[derive(Clone, Copy, Default)]
struct Stretch {
    highest: f32,
    /// The first token that has it.
    likeliest: u32,
    /// Σ exp(logit − highest).
    sum: f32,
}

/// All logits of a row.
pub(super) struct Row {
    pub(super) log_sum_exp: f64,
    /// The highest logit.
    pub(super) highest: f32,
    /// The first of the likeliest tokens; none where the log-sum-exp is not finite.
    pub(super) likeliest: Option<u32>,
}

/// While the products go by.
fn folded(
    hidden: &Tensor,
    head: Head<'_>,
    rows: &[usize],
    targets: &[(usize, u32)],
) -> Result<Vec<Surprisal>> {
    let (merged, chosen) = folded_rows(hidden, head, rows, targets)?;
    let surprisal = |(&(row, token), &logit): (&(usize, u32), &f32)| merged[row].of(token, logit);
    Ok(targets.iter().zip(&chosen).map(surprisal).collect())
}

impl Row {
    /// What the row says of a token that has this logit.
    pub(super) fn of(&self, token: u32, logit: f32) -> Surprisal {
        Surprisal {
            nats: (self.log_sum_exp - f64::from(logit)) as f32,
            is_likeliest: self.likeliest == Some(token),
        }
    }
}

/// What becomes of the logits of each row, and the logit of each target.
pub(super) fn folded_rows(
    hidden: &Tensor,
    head: Head<'_>,
    rows: &[usize],
    targets: &[(usize, u32)],
) -> Result<(Vec<Row>, Vec<f32>)> {
    let hidden = hidden.contiguous()?;
    let numbers = host::numbers(&hidden)?;
    let size = head.weight.input_size();
    let stretches = head.stretches();
    let mut chosen = vec![0f32; targets.len()];
    // Of every row and stretch.
    let mut partials = vec![Stretch::default(); rows.len() * stretches];
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
        let empty = Partial { highest: f32::NEG_INFINITY, likeliest: 0, sums: [0.0; VECTOR] };
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
                fold(states, logits, tokens.start as u32, tokens.len());
            },
            |(states, _), block, stretch| {
                for (row, state) in block.rows.clone().zip(states) {
                    let place = row * stretches + stretch;
                    let Partial { highest, likeliest, sums } = state;
                    // SAFETY: a row and stretch belong to one task.
                    let partial = unsafe { partials.part(place..place + 1) };
                    partial[0] = Stretch { highest, likeliest, sum: sums.iter().sum() };
                }
            },
        )?;
    }
    debug_assert!(stretches * STRETCH_PANELS >= head.weight.panels());
    Ok((partials.chunks_exact(stretches).map(merge).collect(), chosen))
}

/// A row from its stretches. The log-sum-exp in f64: a hundred thousand small terms must not vanish
/// beside the largest.
fn merge(stretches: &[Stretch]) -> Row {
    let empty = Stretch { highest: f32::NEG_INFINITY, ..Stretch::default() };
    let Stretch { highest, likeliest, .. } = stretches.iter().fold(empty, |best, &other| {
        // Of equals the first, as within a stretch.
        if other.highest > best.highest { other } else { best }
    });
    let sum: f64 = stretches
        .iter()
        .map(|own| match own.sum {
            0.0 => 0.0,
            sum => f64::from(own.highest - highest).exp() * f64::from(sum),
        })
        .sum();
    let log_sum_exp = f64::from(highest) + sum.ln();
    Row { log_sum_exp, highest, likeliest: log_sum_exp.is_finite().then_some(likeliest) }
}

vectorised! {
    /// Takes up one panel of logits, of which `columns` are tokens, from `first` on.
    fn fold(states: &mut [Partial], logits: &[f32], first: u32, columns: usize) {
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
                // Within a stretch the highest rises a few times only, so this search costs nothing.
                let place = logits.iter().position(|&logit| logit >= highest).unwrap_or(0);
                state.likeliest = first + place as u32;
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
    use proptest::prelude::*;

    use super::*;
    use crate::ops::head::most_likely;
    use crate::ops::linear::Weight;

    fn known(hidden: &Tensor, head: Head<'_>, targets: &[(usize, u32)]) -> Result<Vec<Surprisal>> {
        surprisals(hidden, head, targets)?.read()
    }

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
        let found = known(&logits, plain(&weight), &targets).unwrap();
        let total = 1f64.exp() + 2f64.exp() + 4f64.exp();
        let expected = [total.ln() - 1.0, total.ln() - 4.0, 0.0, 1e4];
        for (found, expected) in found.iter().zip(expected) {
            assert!((f64::from(found.nats) - expected).abs() < 1e-6, "{found:?} {expected}");
        }
        let likeliest: Vec<bool> = found.iter().map(|found| found.is_likeliest).collect();
        assert_eq!(likeliest, [false, true, true, false]);
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
            let fast = known(&hidden, head(&packed), &targets).unwrap();
            let slow = known(&hidden, head(&kept), &targets).unwrap();
            for (fast, slow) in fast.iter().zip(slow) {
                assert!((fast.nats - slow.nats).abs() < 2e-5, "{fast:?} {slow:?}");
            }
            let alone = known(&hidden, head(&packed), &targets[66..67]).unwrap();
            assert_eq!(alone, fast[66..67]);
        }
    }

    #[test]
    fn damaged_logits_give_no_number_and_wrong_targets_an_error() {
        let logits = Tensor::new(&[[f32::NAN, 1.0]], &Device::Cpu).unwrap();
        let weight = head(2);
        let head = plain(&weight);
        let damaged = known(&logits, head, &[(0, 1)]).unwrap()[0];
        assert!(!damaged.nats.is_finite() && !damaged.is_likeliest);
        assert!(known(&logits, head, &[(0, 2)]).is_err());
        assert!(known(&logits, head, &[(1, 0)]).is_err());
    }
    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Products of few small whole numbers are exact and often equal, within panels, across them and
        /// across stretches.
        #[test]
        fn the_likeliest_target_is_the_most_likely_token(
            vocabulary in prop_oneof![1usize..70, 1000usize..1100, 2040usize..2120],
            rows in prop::collection::vec(prop::collection::vec(-2i8..3, 2), 1..9),
            seed in 0usize..1000,
            places in prop::collection::vec(0usize..usize::MAX, 0..6),
        ) {
            let number = |i: usize| ((i * 7919 + seed) % 1009 % 5) as f32 - 2.0;
            let matrix: Vec<f32> = (0..2 * vocabulary).map(number).collect();
            let matrix = Tensor::from_vec(matrix, (vocabulary, 2), &Device::Cpu).unwrap();
            let flat: Vec<f32> = rows.iter().flatten().copied().map(f32::from).collect();
            let hidden = Tensor::from_vec(flat, (rows.len(), 2), &Device::Cpu).unwrap();
            let packed = Weight::from_tensor(&matrix).unwrap();
            let kept = Weight::plain(matrix).unwrap();
            for weight in [&packed, &kept] {
                let winners = most_likely(&hidden, plain(weight), &vec![&[][..]; rows.len()]).unwrap();
                let targets: Vec<(usize, u32)> = winners
                    .iter()
                    .enumerate()
                    .flat_map(|(row, winner)| {
                        let others = places.iter().map(|place| (place % vocabulary) as u32);
                        others.chain(*winner).map(move |token| (row, token))
                    })
                    .collect();
                let found = known(&hidden, plain(weight), &targets).unwrap();
                for (&(row, token), found) in targets.iter().zip(&found) {
                    prop_assert_eq!(found.is_likeliest, winners[row] == Some(token));
                }
            }
        }
    }

    #[test]
    fn of_equals_the_first_is_the_likeliest() {
        let mut logits = vec![f32::NEG_INFINITY; 2 * 2100];
        // In two panels of a stretch and in another stretch; then ±0.
        for token in [70, 71, 500, 1500] {
            logits[token] = 3.0;
        }
        (logits[2100 + 40], logits[2100 + 2099]) = (-0.0, 0.0);
        let logits = Tensor::from_vec(logits, (2, 2100), &Device::Cpu).unwrap();
        // Products that are all zero: the bias alone makes the logits.
        let zeros = |rows| Tensor::zeros((rows, 1), candle_core::DType::F32, &Device::Cpu).unwrap();
        let packed = Weight::from_tensor(&zeros(2100)).unwrap();
        let kept = Weight::plain(zeros(2100)).unwrap();
        for weight in [&packed, &kept] {
            for (row, first, others) in [(0, 70, vec![71, 500, 1500, 0]), (1, 40, vec![2099, 0])] {
                let bias = logits.get(row).unwrap();
                let head = Head { bias: Some(&bias), ..plain(weight) };
                let targets: Vec<(usize, u32)> =
                    others.into_iter().chain([first]).map(|token| (0, token)).collect();
                let found = known(&zeros(1), head, &targets).unwrap();
                let likeliest = targets.iter().zip(found).filter(|(_, found)| found.is_likeliest);
                let likeliest: Vec<u32> = likeliest.map(|(&(_, token), _)| token).collect();
                assert_eq!(likeliest, [first]);
            }
        }
    }
}
