//! What can keep results from being reported.

/// Why a report cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// A group of the summarizer mixes two ways of naming its subsets.
    #[error(
        "summary group {group:?}: subsets are either all names or all [name, metric]; write them in one way"
    )]
    MixedSubsets {
        /// The group.
        group: String,
    },
    /// A weight belongs to nothing in its group.
    #[error("summary group {group:?}: {weight:?} has a weight but is not among the subsets")]
    StrayWeight {
        /// The group.
        group: String,
        /// The key of the weight.
        weight: String,
    },
    /// A group rewrites scores by Python expressions.
    #[error(
        "summary group {group:?}: transforms are Python expressions, which are not run here; remove them and transform the scores afterwards"
    )]
    Transforms {
        /// The group.
        group: String,
    },
    /// The file of details cannot be put together.
    #[error("summary/details: {0}")]
    Details(String),
}
