//! Results that may still be on their way: a GPU is asked for the next pass before this one is read.

use candle_core::Result;

use super::Surprisal;

/// Surprisals that are known, or that a GPU is still computing.
#[derive(Debug)]
pub enum PendingSurprisals {
    /// They are known.
    Known(Vec<Surprisal>),
    /// They are on their way.
    #[cfg(feature = "cuda")]
    Arriving(crate::ops::cuda::ArrivingSurprisals),
}

impl PendingSurprisals {
    /// Waits for them.
    pub fn read(self) -> Result<Vec<Surprisal>> {
        match self {
            Self::Known(found) => Ok(found),
            #[cfg(feature = "cuda")]
            Self::Arriving(arriving) => arriving.read(),
        }
    }
}
