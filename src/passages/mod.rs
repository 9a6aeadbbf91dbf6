//! Corpora of passages, and how passages are found.
//!
//! A [`Corpus`] is read from a table or from a folder of texts and cut into [`Passage`]s, each of which knows where it
//! stands in its document. A [`PassageIndex`] finds passages: [`Bm25Index`] by words, [`DenseIndex`] by vectors,
//! [`HnswIndex`] by graphs of vectors, [`HybridIndex`] by the ranks that several of them give; with the feature `milvus`
//! vectors may lie in a database of its own (`milvus`). Which examples a prompt shows is not decided here but by
//! retrievers (`retrieve`); what a model does with passages is none of its business either. It opens no checkpoint:
//! vectors come from a [`PassageEncoder`].
//!
//! Every search gives the same bits on every call, and every search but that by graphs is exact. Passages that score
//! the same come in the order of the corpus.

#![expect(clippy::disallowed_methods, reason = "corpora are files")]

mod best;
mod bm25;
mod corpus;
mod cutting;
mod dense;
mod document;
mod error;
mod folder;
mod given_vectors;
mod graph;
mod hnsw;
mod hybrid;
mod index;
mod index_kind;
mod markdown;
#[cfg(feature = "milvus")]
mod milvus;
mod npy;
mod quality;
mod queries;
mod search_method;
mod sentences;
mod table;
mod vectors;
mod words;

#[cfg(feature = "milvus")]
pub use self::milvus::{
    CollectionName, Filling, MilvusAddress, MilvusError, MilvusIndex, MilvusOptions, ServerIndex,
};
pub use self::{
    bm25::Bm25Index,
    corpus::{Corpus, CorpusOptions, Passage},
    cutting::Cutting,
    dense::{DenseIndex, PassageEncoder, TextRole},
    error::PassageError,
    given_vectors::GivenQueries,
    graph::GraphKey,
    hnsw::{GraphKeeper, HnswIndex},
    hybrid::HybridIndex,
    index::{Hit, PassageIndex},
    index_kind::IndexKind,
    quality::{SearchFigure, search_figures},
    queries::{Query, relevances},
    search_method::{EncoderChoice, SearchMethod},
    table::TableColumns,
    vectors::Vectors,
    words::search_words,
};
