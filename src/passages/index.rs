//! What every kind of search has in common.

use std::fmt::Debug;

use super::PassageError;

/// A passage that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its number in the corpus, from 0.
    pub passage: usize,
    /// How well it matches, in the unit of the index; higher is better.
    pub score: f64,
}

/// Finds passages of a corpus.
///
/// ```
/// use surprisal::passages::{Bm25Index, PassageIndex};
///
/// let texts = ["The mill grinds wheat.", "A river drives the mill.", "磨坊在河边。"];
/// let index = Bm25Index::new(&texts.map(str::to_owned))?;
/// let found = index.search(&["river mill".to_owned(), "河边".to_owned()], 2)?;
/// assert_eq!(found[0].iter().map(|hit| hit.passage).collect::<Vec<_>>(), [1, 0]);
/// assert_eq!(found[1].iter().map(|hit| hit.passage).collect::<Vec<_>>(), [2]);
/// # Ok::<(), surprisal::passages::PassageError>(())
/// ```
pub trait PassageIndex: Debug {
    /// For each query the best passages, at most `top_k`, the best one first. Passages with equal scores come in the
    /// order of the corpus, and the same order decides who is left out. A query without a letter finds nothing.
    fn search(&self, queries: &[String], top_k: usize) -> Result<Vec<Vec<Hit>>, PassageError>;
}

/// Whether there is nothing to search for.
pub(super) fn is_empty(query: &str) -> bool {
    !query.contains(char::is_alphanumeric)
}
