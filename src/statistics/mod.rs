//! What can be said from a sample about all that could have been sampled.
//!
//! Pure functions on slices: a mean with its standard error, an interval for a share, the difference
//! between two variants of one run, all differences among many. They know neither runs nor metrics,
//! so that every figure of every room is judged by the same formulas. Each names its source;
//! `tests/statistics_fixtures.rs` compares those that scipy and statsmodels have too, and
//! `tests/statistics_simulations.rs` tries the others on data whose truth is known.
//!
//! What few samples cannot say is [`Unstated`] with the reason, never a number that looks like one.
//! Randomness is an argument: equal [`Resampling`] gives equal figures, on any number of threads.

mod all_pairs;
mod bootstrap;
mod clusters;
mod distribution;
mod gaussian_maxima;
mod group_spread;
mod holm;
mod interval;
mod mcnemar;
mod mean;
mod pair_moments;
mod paired_difference;
mod pass_at_k;
mod power;
mod rank_correlation;
mod ranking;
mod reference;
mod resampling;
mod share_difference;
mod sign_flips;
mod unstated;

pub use self::{
    all_pairs::{AllPairs, PairDifference, Spread},
    bootstrap::bootstrap_95,
    clusters::Clusters,
    group_spread::GroupSpread,
    holm::holm,
    interval::{Interval, normal_95, wilson_95, wilson_95_of_share},
    mcnemar::McNemar,
    mean::{Mean, clustered_standard_error},
    paired_difference::PairedDifference,
    pass_at_k::{g_pass_at_k, mean_g_pass_at_k, pass_at_k},
    power::Power,
    rank_correlation::RankCorrelation,
    ranking::{Gain, Ranking, trec_order},
    resampling::Resampling,
    unstated::Unstated,
};
