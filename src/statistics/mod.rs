//! What can be said from a sample about all that could have been sampled.
//!
//! Pure functions on slices: a mean with its standard error, an interval for a share. They know
//! neither runs nor metrics, so that every figure of every room is judged by the same formulas.
//! Each names its source, and `tests/statistics_fixtures.rs` compares it with scipy and statsmodels.

mod interval;
mod mean;

pub use self::{
    interval::{Interval, normal_95, wilson_95, wilson_95_of_share},
    mean::{Mean, clustered_standard_error},
};
