//! Why nothing was measured.

use crate::{plan::PlanError, prepare::PrepareError, store::StoreError};

/// An error that ends a measurement.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// What is asked for cannot be made ready.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// Answers cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<PlanError> for BenchError {
    fn from(error: PlanError) -> Self {
        Self::Prepare(error.into())
    }
}
