//! The seam between planning and computing.

use thiserror::Error;

use super::plan::Batch;

/// What computes batches: the model, or in tests a stand-in.
///
/// It keeps the keys and values of every row of every batch, in the slots that the batch names.
pub(super) trait Executor {
    /// −ln p(token), in nats, for every `(row, token)` of `targets`, ascending by row.
    fn surprisals(
        &mut self,
        batch: &Batch,
        targets: &[(usize, u32)],
    ) -> Result<Vec<f32>, ExecutionError>;

    /// Shows `read` the logits of every one of `rows`, ascending, in turn.
    fn logits(
        &mut self,
        batch: &Batch,
        rows: &[usize],
        read: &mut dyn FnMut(&[f32]),
    ) -> Result<(), ExecutionError>;
}

/// Why a batch could not be computed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(super) enum ExecutionError {
    /// The device has too little memory; a smaller batch may do.
    #[error("{0}")]
    OutOfMemory(String),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}
