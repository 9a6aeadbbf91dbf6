//! What one call of the engine works with.

use super::error::RequestError;
use super::executor::{ExecutionError, Executor};
use super::plan::{BlockPool, OversizedSequence};
use super::statistics::EngineStatistics;

/// What one call of the engine works with: an executor, its blocks, and the statistics.
pub(super) struct Session<'e> {
    pub(super) executor: &'e mut dyn Executor,
    pub(super) pool: BlockPool,
    pub(super) bytes_per_block: usize,
    /// Most rows of a batch; shrinks when the device runs out of memory.
    pub(super) batch_tokens: usize,
    pub(super) statistics: &'e mut EngineStatistics,
    /// Hears how many tokens each pass computed.
    pub(super) progress: &'e mut dyn FnMut(usize),
}

/// What to do about a batch that could not be computed.
pub(super) enum Remedy {
    /// Put it back; the next one is smaller.
    Retry,
    /// Go on without it.
    GiveUp(RequestError),
}

impl Session<'_> {
    /// Notes a batch of `rows` rows that was computed.
    pub(super) fn computed(&mut self, rows: usize) {
        self.statistics.batches += 1;
        self.statistics.computed_tokens += rows;
        let peak_bytes = self.pool.peak_blocks() * self.bytes_per_block;
        self.statistics.peak_kv_bytes = self.statistics.peak_kv_bytes.max(peak_bytes);
        (self.progress)(rows);
    }

    /// What to do about a batch of `rows` rows that was not: where memory is short, half of it.
    pub(super) fn failed(&mut self, rows: usize, error: ExecutionError) -> Remedy {
        match error {
            ExecutionError::OutOfMemory(_) if rows > 1 => {
                self.batch_tokens = rows / 2;
                Remedy::Retry
            }
            ExecutionError::OutOfMemory(message) | ExecutionError::Failed(message) => {
                Remedy::GiveUp(RequestError::Compute(message))
            }
        }
    }

    /// The error of a request of `tokens` tokens that fits into no plan.
    pub(super) fn refusal(&self, oversized: OversizedSequence, tokens: usize) -> RequestError {
        RequestError::TooLarge {
            tokens,
            needed_bytes: oversized.blocks * self.bytes_per_block,
            budget_bytes: self.pool.capacity() * self.bytes_per_block,
        }
    }
}
