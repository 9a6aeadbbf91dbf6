//! The seam between planning and computing.

use thiserror::Error;

use super::plan::Batch;
use super::sampling::Sampling;
use crate::ops::head::Surprisal;

/// What computes batches: the model, or in tests a stand-in.
///
/// It keeps the keys and values of every row of every batch, in the slots that the batch names.
pub(super) trait Executor {
    /// How surprising every `(row, token)` of `targets` is, ascending by row.
    fn surprisals(
        &mut self,
        batch: &Batch,
        targets: &[(usize, u32)],
    ) -> Result<Vec<Surprisal>, ExecutionError>;

    /// The token after every one of `rows`, ascending; `None` where there can be none because a logit
    /// is not a number or every token is banned.
    fn next_tokens(
        &mut self,
        batch: &Batch,
        rows: &[(usize, TokenRule<'_>)],
    ) -> Result<Vec<Option<u32>>, ExecutionError>;
}

/// How a token is chosen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TokenRule<'a> {
    /// Tokens that are not.
    pub(super) banned: &'a [u32],
    /// How it is drawn and the number of the draw; otherwise the likeliest is taken.
    pub(super) sampling: Option<(&'a Sampling, usize)>,
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
