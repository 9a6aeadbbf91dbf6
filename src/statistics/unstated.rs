//! Why a figure is not stated.

/// What is missing to state a figure. Its text continues "not stated: ".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unstated {
    /// Samples, or clusters of samples, are what can be resampled, and there are too few.
    #[error("{found} independent samples (or clusters of samples), {needed} are needed")]
    FewSamples {
        /// How many there are.
        found: usize,
        /// How many there must be.
        needed: usize,
    },
    /// Most samples are equal under both variants, and the others are too few.
    #[error("only {found} samples (or clusters) differ, {needed} must")]
    FewDiffer {
        /// How many differ.
        found: usize,
        /// How many must.
        needed: usize,
    },
    /// All values are equal, so nothing says how far another sample would scatter.
    #[error("all values are equal, which says nothing of their scatter")]
    NoScatter,
    /// Too many resamples hold one value alone.
    #[error("too few samples scatter: a resample often misses them all")]
    ThinScatter,
    /// A quantile of 2.5 % needs resamples beyond it.
    #[error("{found} resamples, {needed} are needed")]
    FewResamples {
        /// How many were asked for.
        found: usize,
        /// How many there must be.
        needed: usize,
    },
    /// A value is not a number, or is infinite.
    #[error("a value is not a finite number")]
    NotFinite,
    /// Slices that should run along the same samples have different lengths.
    #[error("{first} samples on one side, {second} on the other")]
    Lengths {
        /// The length of one.
        first: usize,
        /// The length of another.
        second: usize,
    },
}
