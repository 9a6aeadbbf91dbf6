//! Exact search or graphs.

use serde::Deserialize;

use super::{
    DenseIndex, GraphKeeper, HnswIndex, PassageEncoder, PassageError, PassageIndex, Vectors,
};

/// Passages up to which search is exact unless something else is wanted.
const MOST_EXACT: usize = 1_000_000;

/// How vectors are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexKind {
    /// Every passage is looked at.
    Exact,
    /// Passages that graphs lead to are looked at.
    Hnsw,
}

impl IndexKind {
    /// What is used unless something else is wanted: exact search up to a million passages, graphs beyond.
    pub fn usual(passages: usize) -> Self {
        if passages > MOST_EXACT { Self::Hnsw } else { Self::Exact }
    }

    /// Indexes the vectors of passages; `encoder` makes those of queries. `keeper` keeps graphs, if there are any.
    pub fn index<'a>(
        self,
        vectors: Vectors,
        encoder: &'a dyn PassageEncoder,
        keeper: &dyn GraphKeeper,
    ) -> Result<Box<dyn PassageIndex + 'a>, PassageError> {
        Ok(match self {
            Self::Exact => Box::new(DenseIndex::of(vectors, encoder)?),
            Self::Hnsw => Box::new(HnswIndex::of(vectors, encoder, keeper)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_begin_beyond_a_million() {
        assert_eq!(IndexKind::usual(1_000_000), IndexKind::Exact);
        assert_eq!(IndexKind::usual(1_000_001), IndexKind::Hnsw);
    }
}
