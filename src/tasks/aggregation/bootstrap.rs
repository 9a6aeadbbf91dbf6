//! The standard error of a figure by resampling, with lm-eval's draws.
//!
//! Resamples come in chunks of at most a thousand, chunk i drawn by Python's `random.Random(i).choices`; what is left
//! of an incomplete chunk is not drawn. The error is the standard deviation of the resamples' figures.

use rayon::prelude::*;

use super::{Statistic, numbers::deviation};
use crate::python::PythonRandom;

/// So many resamples are drawn by one generator.
const CHUNK: usize = 1000;

pub(super) fn standard_error(
    statistic: &dyn Statistic,
    count: usize,
    resamples: usize,
) -> Result<f64, String> {
    let chunk = resamples.clamp(1, CHUNK);
    let drawn = |seed: usize| {
        let mut random = PythonRandom::from_seed(seed as u64);
        let figures = (0..chunk).map(|_| statistic.of(&random.choices(count, count)));
        figures.collect::<Result<Vec<f64>, String>>()
    };
    let chunks: Result<Vec<Vec<f64>>, String> =
        (0..resamples / chunk).into_par_iter().map(drawn).collect();
    let chunks = chunks.map_err(|what| format!("in a resample of the bootstrap: {what}"))?;
    Ok(deviation(&chunks.concat()))
}
