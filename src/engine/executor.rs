//! The seam between planning and computing.

use thiserror::Error;

use super::plan::Batch;
use super::sampling::Sampling;
use crate::ops::head::{Surprisal, TokenScore};

/// Results of a batch that was begun.
pub(super) enum Reading {
    /// They are there.
    Known(Vec<Surprisal>),
    /// Who asks for them waits.
    #[cfg(any(feature = "cuda", test))]
    Awaited(Box<dyn FnOnce() -> Result<Vec<Surprisal>, ExecutionError>>),
}

impl Reading {
    /// Waits for them.
    #[cfg_attr(
        not(any(feature = "cuda", test)),
        expect(
            clippy::unnecessary_wraps,
            reason = "only a GPU's results are awaited, which can fail"
        )
    )]
    pub(super) fn read(self) -> Result<Vec<Surprisal>, ExecutionError> {
        match self {
            Self::Known(found) => Ok(found),
            #[cfg(any(feature = "cuda", test))]
            Self::Awaited(wait) => wait(),
        }
    }
}

/// What computes batches: the model, or in tests a stand-in.
///
/// It keeps the keys and values of every row of every batch, in the slots that the batch names.
pub(super) trait Executor {
    /// Begins to compute how surprising every `(row, token)` of `targets` is, ascending by row.
    ///
    /// A GPU is still at it afterwards. It does one batch after the other, so the next may be begun, and may name
    /// blocks of this one that are free again, before the results are read. Too little memory shows here and never
    /// where they are read.
    fn begin_surprisals(
        &mut self,
        batch: &Batch,
        targets: &[(usize, u32)],
    ) -> Result<Reading, ExecutionError>;

    /// The token after every one of `rows`, ascending; `None` where there can be none because a logit
    /// is not a number or every token is banned.
    fn next_tokens(
        &mut self,
        batch: &Batch,
        rows: &[(usize, TokenRule<'_>)],
    ) -> Result<Vec<Option<u32>>, ExecutionError>;

    /// What is wanted of `queries`, ascending by row and one for each, in their order.
    fn replies(
        &mut self,
        batch: &Batch,
        queries: &[RowQuery<'_>],
    ) -> Result<Vec<RowReply>, ExecutionError>;
}

/// What is wanted of a row of requests that come one by one.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowQuery<'a> {
    /// The row.
    pub(super) row: usize,
    /// What follows it.
    pub(super) next: NextToken<'a>,
    /// Of what follows it the score, with so many of the likeliest tokens beside it.
    pub(super) ranked: Option<usize>,
}

/// The token after a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum NextToken<'a> {
    /// It is known.
    Known(u32),
    /// It is chosen.
    Chosen(TokenRule<'a>),
}

/// The reply to a [`RowQuery`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RowReply {
    /// The token after the row; `None` where none can be chosen.
    pub(super) token: Option<u32>,
    /// Its score, if that was asked for.
    pub(super) score: Option<TokenScore>,
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
    /// The device computes nothing any more: after an error in a kernel each of its calls fails.
    #[error("the device is lost: {0}")]
    DeviceLost(String),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}
