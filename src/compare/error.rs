//! Why nothing can be compared.

use super::Part;
use crate::kept_run::RunError;

/// An error that ends a comparison.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A run cannot be found or read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// No two members are equal in all parts but one.
    #[error(
        "nothing to compare{}: there is {there}\nTwo members of one data set can be compared. Wordings are named in its \
         entry, variants=dict(short=dict(…)), or by its abbr: abbr='choices' and abbr='choices@short' are \
         variants of choices. Models and runs are compared where data set and variant are the same.",
        by.map(|part| format!(" by {part}")).unwrap_or_default()
    )]
    Nothing {
        /// The part that was asked for.
        by: Option<Part>,
        /// What lies there.
        there: String,
    },
    /// Members were found, but none of the comparisons can be made.
    #[error("nothing can be compared:\n{}", reasons.join("\n"))]
    Refused {
        /// Why, for each.
        reasons: Vec<String>,
    },
    /// A data set's rows lack the column of clusters.
    #[error("{dataset} has no column {column:?} to make clusters of; it has {known}")]
    NoColumn {
        /// The data set.
        dataset: String,
        /// The column.
        column: String,
        /// Its columns.
        known: String,
    },
}
