//! From hidden states to the next token: logits, surprisals, the most likely token.
//!
//! Only a few rows ever get all their logits in memory. Surprisals, whether their tokens are the
//! likeliest, and the most likely token are found while the products of the head go by, panel after panel. Panels are folded in stretches of
//! fixed length and the stretches in order, so a row's bits depend on that row alone.

mod choice;
mod pending;
mod ranking;
mod round;
mod surprisal;

use std::ops::Range;

use candle_core::{DType, Result, Tensor};

pub use choice::{greedy, most_likely};
pub use pending::PendingSurprisals;
pub use ranking::{RankedToken, TokenScore, token_scores};
pub use surprisal::{Surprisal, surprisals};

use super::linear::block::{RowBlock, for_each_block};
use super::linear::{Matrix, Panels, Weight, add_bias, linear};
use super::simd::{InstructionSet, vectorised};
use super::soft_cap::soft_cap;
use super::tile::COLUMNS;
use super::{curves, host, scale};

/// Panels of a stretch: 1,024 logits.
const STRETCH_PANELS: usize = 32;

/// What makes logits of a row.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// `(vocabulary, hidden size)`.
    pub weight: &'a Weight,
    /// `(vocabulary)`.
    pub bias: Option<&'a Tensor>,
    /// Factor on the logits.
    pub scale: Option<f64>,
    /// `cap · tanh(logit / cap)`.
    pub soft_cap: Option<f64>,
}

impl Head<'_> {
    /// All logits of a few rows, f32, `(rows, vocabulary)`.
    pub fn logits(&self, hidden: &Tensor) -> Result<Tensor> {
        let logits = linear(hidden, self.weight, self.bias, None)?.to_dtype(DType::F32)?;
        if !logits.device().is_cpu() {
            let logits = scale::scale(logits, self.scale)?;
            return self.soft_cap.map_or(Ok(logits.clone()), |cap| soft_cap(&logits, cap));
        }
        host::change(&logits, |logits| self.shape(logits))?;
        Ok(logits)
    }

    /// Scales and caps.
    fn shape(&self, logits: &mut [f32]) {
        if self.scale.is_some() || self.soft_cap.is_some() {
            let scale = self.scale.map_or(1.0, |scale| scale as f32);
            scale_and_cap(logits, scale, self.soft_cap.map(|cap| cap as f32));
        }
    }

    /// How many stretches a row's logits are folded in.
    fn stretches(&self) -> usize {
        self.weight.panels().div_ceil(STRETCH_PANELS)
    }

    /// Shows `fold` the logits of every row, by panel, in order within a stretch.
    fn scan<'r, S>(
        &self,
        rows: usize,
        row: impl Fn(usize) -> &'r [f32] + Sync,
        start: impl Fn(&RowBlock<'_>) -> S + Sync,
        fold: impl Fn(&mut S, &RowBlock<'_>, Range<usize>, &[f32]) + Sync,
        finish: impl Fn(S, &RowBlock<'_>, usize) + Sync,
    ) -> Result<()> {
        let scan = Scan { row, start, fold, finish };
        match &self.weight.matrix {
            Matrix::F32(panels) => self.scan_panels(rows, &**panels, &scan),
            Matrix::Bf16(panels) => self.scan_panels(rows, &**panels, &scan),
            Matrix::F16(panels) => self.scan_panels(rows, &**panels, &scan),
            Matrix::Quantised(panels) => self.scan_panels(rows, &**panels, &scan),
            Matrix::Fp8(panels) => self.scan_panels(rows, &**panels, &scan),
            #[cfg(feature = "cuda")]
            Matrix::Blocks(_) => candle_core::bail!("only packed weights are scanned"),
            Matrix::Plain(_) => {
                candle_core::bail!("only packed weights are scanned")
            }
        }
    }

    fn scan_panels<'r, S, P: Panels>(
        &self,
        rows: usize,
        panels: &P,
        scan: &Scan<
            impl Fn(usize) -> &'r [f32] + Sync,
            impl Fn(&RowBlock<'_>) -> S + Sync,
            impl Fn(&mut S, &RowBlock<'_>, Range<usize>, &[f32]) + Sync,
            impl Fn(S, &RowBlock<'_>, usize) + Sync,
        >,
    ) -> Result<()> {
        let (vocabulary, depth) = (self.weight.output_size(), self.weight.input_size());
        let bias = host::optional_numbers(self.bias)?;
        let stretches = self.stretches();
        let size = P::block(InstructionSet::detect());
        for_each_block(
            rows,
            depth,
            stretches,
            size,
            COLUMNS,
            &scan.row,
            |block, group, products| {
                for stretch in group {
                    let mut state = (scan.start)(block);
                    let last = ((stretch + 1) * STRETCH_PANELS).min(self.weight.panels());
                    for panel in stretch * STRETCH_PANELS..last {
                        block.multiply(panels, panel, products);
                        let tokens = panel * COLUMNS..((panel + 1) * COLUMNS).min(vocabulary);
                        if let Some(bias) = &bias {
                            add_bias(products, &bias[tokens.clone()]);
                        }
                        self.shape(products);
                        (scan.fold)(&mut state, block, tokens, products);
                    }
                    (scan.finish)(state, block, stretch);
                }
            },
        );
        Ok(())
    }
}

struct Scan<R, S, F, E> {
    row: R,
    start: S,
    fold: F,
    finish: E,
}

vectorised! {
    fn scale_and_cap(logits: &mut [f32], scale: f32, cap: Option<f32>) {
        for logit in &mut *logits {
            *logit *= scale;
        }
        if let Some(cap) = cap {
            for logit in logits {
                *logit = cap * curves::tanh(*logit / cap);
            }
        }
    }
}
