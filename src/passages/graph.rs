//! One HNSW graph: which vectors are near to which.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use instant_distance::{Builder, Hnsw, Point, Search};
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{PassageError, Vectors};
use crate::{ops::dot::dot, panic_guard};

/// Candidates that are looked at when a vector is linked; `efConstruction` of Malkov and Yashunin (2018).
const BUILT_CANDIDATES: usize = 100;
/// Candidates that a search holds, and so the most that it can find; `ef` there.
pub(super) const SEARCHED_CANDIDATES: usize = 256;
/// Decides in which order vectors are linked, and which are entries.
const SEED: u64 = 1;
/// All that decides a graph beside its vectors. Another version of the crate may link otherwise, or write otherwise.
const MADE_BY: &str = "instant-distance 0.6.1, M 32, postcard 1";

/// What a graph is known by: a hash of its vectors and of all else that decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphKey([u8; 32]);

impl GraphKey {
    fn of(vectors: &Vectors) -> Self {
        let mut digest = Sha256::new();
        let settings = [BUILT_CANDIDATES as u64, SEARCHED_CANDIDATES as u64, SEED];
        digest.update(MADE_BY);
        digest.update(settings.map(u64::to_le_bytes).concat());
        digest.update(vectors.digest());
        Self(digest.finalize().into())
    }
}

impl fmt::Display for GraphKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A vector by its number.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    number: u32,
    /// Not written with a graph, but given to it when it is read.
    #[serde(skip)]
    vectors: OnceLock<Arc<Vectors>>,
}

impl Row {
    fn of(vectors: &Arc<Vectors>, number: usize) -> Self {
        Self { number: number as u32, vectors: OnceLock::from(vectors.clone()) }
    }

    fn numbers(&self) -> &[f32] {
        self.vectors.get().map_or(&[], |vectors| vectors.row(self.number as usize))
    }
}

impl Point for Row {
    fn distance(&self, other: &Self) -> f32 {
        1.0 - dot(self.numbers(), other.numbers())
    }
}

/// Vectors and the graph of them.
pub(super) struct Graph {
    pub(super) vectors: Arc<Vectors>,
    hnsw: Hnsw<Row>,
}

impl Graph {
    /// What the graph of these vectors is known by.
    pub(super) fn key(vectors: &Vectors) -> GraphKey {
        GraphKey::of(vectors)
    }

    /// Links vectors. The same vectors give the same graph, because one thread does it.
    pub(super) fn build(vectors: Arc<Vectors>) -> Result<Self, PassageError> {
        let rows = (0..vectors.len()).map(|number| Row::of(&vectors, number)).collect();
        let builder = Builder::default()
            .seed(SEED)
            .ef_construction(BUILT_CANDIDATES)
            .ef_search(SEARCHED_CANDIDATES);
        let alone = ThreadPoolBuilder::new().num_threads(1).build();
        let alone = alone.map_err(|error| failed(error.to_string()))?;
        let built = alone.install(|| panic_guard::guarded(|| builder.build_hnsw(rows)));
        let (hnsw, _) = built.map_err(failed)?;
        Ok(Self { vectors, hnsw })
    }

    /// The bytes of a graph, without its vectors.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, PassageError> {
        postcard::to_stdvec(&self.hnsw).map_err(|error| failed(error.to_string()))
    }

    /// A graph of vectors that was written; nothing if the bytes are something else.
    pub(super) fn from_bytes(vectors: &Arc<Vectors>, bytes: &[u8]) -> Option<Self> {
        let hnsw: Hnsw<Row> = postcard::from_bytes(bytes).ok()?;
        let mut seen = vec![false; vectors.len()];
        for (_, row) in hnsw.iter() {
            let seen = seen.get_mut(row.number as usize)?;
            row.vectors.set(vectors.clone()).ok()?;
            *seen = true;
        }
        seen.iter().all(|seen| *seen).then(|| Self { vectors: vectors.clone(), hnsw })
    }

    /// The numbers of the vectors that are found near to a query, with their distances; the nearest one first.
    pub(super) fn near<'g>(
        &'g self,
        query: &AskedRow,
        search: &'g mut GraphSearch,
    ) -> impl Iterator<Item = (usize, f32)> + 'g {
        let found = self.hnsw.search(&query.0, &mut search.0);
        found.map(|item| (item.point.number as usize, item.distance))
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("vectors", &self.vectors.len()).finish_non_exhaustive()
    }
}

/// A query's vector.
#[derive(Debug)]
pub(super) struct AskedRow(Row);

impl AskedRow {
    /// The vector of a number.
    pub(super) fn of(vectors: &Arc<Vectors>, number: usize) -> Self {
        Self(Row::of(vectors, number))
    }

    /// Its numbers.
    pub(super) fn numbers(&self) -> &[f32] {
        self.0.numbers()
    }
}

/// Memory that searches use one after the other.
#[derive(Default)]
pub(super) struct GraphSearch(Search);

fn failed(problem: String) -> PassageError {
    PassageError::Graph { problem }
}
