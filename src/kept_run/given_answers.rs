//! The answers of a run to requests that rows made themselves.

use std::path::Path;

use serde_json::Value;

use super::{RunError, run::KeptRun};
use crate::{prepare::Progress, report::given_answer};

/// A line of JSON for each request of a run, in their order.
///
/// # Errors
///
/// Where the run cannot be read.
pub fn given_answers(
    work_dir: &Path,
    run: &str,
    progress: &dyn Progress,
) -> Result<Vec<Value>, RunError> {
    let run = KeptRun::open(work_dir, run, progress)?;
    let mut lines = Vec::new();
    for unit in &run.units {
        let samples = run.samples(unit)?;
        lines.extend(samples.iter().map(|kept| given_answer(&kept.sample, &kept.record)));
    }
    Ok(lines)
}
