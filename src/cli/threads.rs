//! How many threads compute.

use anyhow::Context as _;

/// Starts so many threads, or one for each core.
pub(super) fn start(threads: Option<usize>) -> anyhow::Result<()> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .context("the threads cannot be started")
}
