//! What the benchmarks work on. All of it is generated, from fixed seeds, into `target/benches`.

pub(crate) mod checkpoint;
pub(crate) mod english;
pub(crate) mod mmlu;

use std::path::PathBuf;

/// Where it is kept between runs.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/target/benches"))
}
