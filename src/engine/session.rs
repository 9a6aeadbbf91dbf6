//! What one call of the engine works with.

use super::error::RequestError;
use super::executor::{ExecutionError, Executor, Reading, RowQuery, RowReply, TokenRule};
use super::plan::{Batch, BlockPool, OversizedSequence};
use super::statistics::EngineStatistics;

/// What one call of the engine works with: an executor, its blocks, and the statistics.
pub(super) struct Session<'e> {
    pub(super) executor: &'e mut dyn Executor,
    pub(super) pool: BlockPool,
    pub(super) bytes_per_block: usize,
    /// Most rows of a batch; shrinks when the device runs out of memory.
    pub(super) batch_tokens: usize,
    pub(super) statistics: &'e mut EngineStatistics,
    /// Why the device computes nothing any more, if that is so.
    pub(super) lost: Option<String>,
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
    /// Begins a batch, unless the device is lost.
    pub(super) fn begin_surprisals(
        &mut self,
        batch: &Batch,
        targets: &[(usize, u32)],
    ) -> Result<Reading, ExecutionError> {
        match &self.lost {
            Some(reason) => Err(ExecutionError::DeviceLost(reason.clone())),
            None => self.executor.begin_surprisals(batch, targets),
        }
    }

    /// Continues sequences, unless the device is lost.
    pub(super) fn next_tokens(
        &mut self,
        batch: &Batch,
        rows: &[(usize, TokenRule<'_>)],
    ) -> Result<Vec<Option<u32>>, ExecutionError> {
        match &self.lost {
            Some(reason) => Err(ExecutionError::DeviceLost(reason.clone())),
            None => self.executor.next_tokens(batch, rows),
        }
    }

    /// Asks rows of requests that come one by one, unless the device is lost.
    pub(super) fn replies(
        &mut self,
        batch: &Batch,
        queries: &[RowQuery<'_>],
    ) -> Result<Vec<RowReply>, ExecutionError> {
        match &self.lost {
            Some(reason) => Err(ExecutionError::DeviceLost(reason.clone())),
            None => self.executor.replies(batch, queries),
        }
    }

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
            // A batch beyond its size is one span, which cannot be cut.
            ExecutionError::OutOfMemory(_) if rows > 1 && rows <= self.batch_tokens => {
                self.batch_tokens = rows / 2;
                Remedy::Retry
            }
            ExecutionError::OutOfMemory(message) | ExecutionError::Failed(message) => {
                Remedy::GiveUp(RequestError::Compute(message))
            }
            ExecutionError::DeviceLost(message) => {
                self.lost = Some(message.clone());
                Remedy::GiveUp(RequestError::DeviceLost(message))
            }
        }
    }

    /// What to say of a batch whose results could not be read: the device is lost.
    pub(super) fn unreadable(&mut self, error: ExecutionError) -> RequestError {
        let message = match error {
            ExecutionError::DeviceLost(message)
            | ExecutionError::OutOfMemory(message)
            | ExecutionError::Failed(message) => message,
        };
        self.lost = Some(message.clone());
        RequestError::DeviceLost(message)
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
