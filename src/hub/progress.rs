//! What a download says while it works.

/// Receives what happens, in order; what is shown of it is the receiver's business.
pub trait DownloadProgress: Sync {
    /// A file begins; `done_bytes` of its `total_bytes` were there already.
    fn begin_file(&self, file: &str, total_bytes: u64, done_bytes: u64);
    /// So many more bytes arrived.
    fn bytes(&self, count: u64);
    /// The file is complete, or was given up.
    fn end_file(&self);
    /// The download stands still for a while, for a reason.
    fn waiting(&self, why: &str);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl DownloadProgress for Silent {
    fn begin_file(&self, _: &str, _: u64, _: u64) {}
    fn bytes(&self, _: u64) {}
    fn end_file(&self) {}
    fn waiting(&self, _: &str) {}
}
