//! The model as an executor.

use candle_core::Tensor;

use super::executor::{ExecutionError, Executor};
use super::plan::{Batch, BlockPool};
use crate::model::{Decoder, KvStore};
use crate::ops::host;

/// Logits that are held at once while tokens are chosen.
const LOGITS_PER_TILE: usize = 1 << 24;

/// A decoder and what it keeps of the tokens it has computed.
#[derive(Debug)]
pub(super) struct ModelExecutor<'m> {
    decoder: &'m Decoder,
    kept: KvStore,
    pool: BlockPool,
}

impl<'m> ModelExecutor<'m> {
    /// Computes with `decoder`; `kept` has room for the blocks of `pool` as soon as they are used.
    pub(super) fn new(decoder: &'m Decoder, kept: KvStore, pool: BlockPool) -> Self {
        Self { decoder, kept, pool }
    }

    /// The residual stream after the last layer.
    fn hidden(&mut self, batch: &Batch) -> candle_core::Result<Tensor> {
        self.kept.grow(self.pool.peak_blocks())?;
        self.decoder.hidden(&batch.rows(), &mut self.kept)
    }
}

impl Executor for ModelExecutor<'_> {
    fn surprisals(
        &mut self,
        batch: &Batch,
        targets: &[(usize, u32)],
    ) -> Result<Vec<f32>, ExecutionError> {
        let hidden = self.hidden(batch)?;
        Ok(self.decoder.surprisals(&hidden, targets)?)
    }

    fn logits(
        &mut self,
        batch: &Batch,
        rows: &[usize],
        read: &mut dyn FnMut(&[f32]),
    ) -> Result<(), ExecutionError> {
        let hidden = self.hidden(batch)?;
        let vocabulary_size = self.decoder.spec().vocabulary_size.max(1);
        for rows in rows.chunks((LOGITS_PER_TILE / vocabulary_size).max(1)) {
            let rows: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
            let rows = Tensor::new(rows, hidden.device())?;
            let logits = self.decoder.logits(&hidden.index_select(&rows, 0)?)?;
            host::read(&logits, |logits| {
                logits.chunks_exact(vocabulary_size).for_each(&mut *read);
            })?;
        }
        Ok(())
    }
}

impl From<candle_core::Error> for ExecutionError {
    fn from(error: candle_core::Error) -> Self {
        // With RUST_BACKTRACE set, candle's messages go on for pages.
        let message = error.to_string();
        let message = message.lines().next().unwrap_or_default().to_owned();
        let lower_case = message.to_lowercase();
        // Drivers tell it in words only, each in its own.
        if lower_case.contains("out of memory") || lower_case.contains("out_of_memory") {
            Self::OutOfMemory(message)
        } else {
            Self::Failed(message)
        }
    }
}
