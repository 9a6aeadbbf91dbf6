//! What a run says while it works.

use crate::hub::{DownloadProgress, Silent};

/// Receives what happens, in order; what is shown of it, and where, is the receiver's business.
pub trait Progress: DownloadProgress {
    /// Something worth knowing that is not an error.
    fn note(&self, text: &str);
    /// A phase of the preparation starts, such as "reading data sets"; it ends when the next one or the
    /// work starts, or with [`Self::end`].
    fn phase(&self, name: &str, steps: usize);
    /// One more step of the phase is done.
    fn step(&self);
    /// A data set under a model starts; `done` of its `samples` were there already.
    fn begin(&self, title: &str, samples: usize, done: usize);
    /// So many more samples are answered and kept.
    fn samples(&self, count: usize);
    /// So many more tokens are computed.
    fn tokens(&self, count: usize);
    /// The data set, or the preparation, is complete.
    fn end(&self);
}

impl Progress for Silent {
    fn note(&self, _: &str) {}
    fn phase(&self, _: &str, _: usize) {}
    fn step(&self) {}
    fn begin(&self, _: &str, _: usize, _: usize) {}
    fn samples(&self, _: usize) {}
    fn tokens(&self, _: usize) {}
    fn end(&self) {}
}
