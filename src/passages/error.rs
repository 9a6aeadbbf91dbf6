//! What can be wrong with a corpus or a search.

use std::{io, path::PathBuf};

use crate::dataset::DatasetError;

/// Why passages could not be read or found.
#[derive(Debug, thiserror::Error)]
pub enum PassageError {
    /// A table that cannot be read.
    #[error(transparent)]
    Table(#[from] Box<DatasetError>),
    /// The file system refused.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A text that is not UTF-8.
    #[error("{}, line {line}: this is not UTF-8; save the file as UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// No passage at all.
    #[error(
        "{}: the corpus is empty; expected a table with rows (.jsonl, .json, .csv, .tsv, .parquet), or a folder that holds .txt or .md files",
        path.display()
    )]
    Empty {
        /// The file or folder.
        path: PathBuf,
    },
    /// A query that names a column that rows do not have.
    #[error("the query names {{{column}}}, and rows have no such column, only {available}")]
    Query {
        /// What was named.
        column: String,
        /// The columns that are there.
        available: String,
    },
    /// A column that is needed is not there.
    #[error("{}: there is no column `{column}`, only {available}; name the column of {what} with {option}", path.display())]
    MissingColumn {
        /// The table.
        path: PathBuf,
        /// What was looked for.
        column: String,
        /// The columns that are there.
        available: String,
        /// What the column holds.
        what: &'static str,
        /// What names another.
        option: &'static str,
    },
    /// A cell that holds something else.
    #[error("{place}: the column `{column}` must hold {wanted}, found {found}")]
    Cell {
        /// File and row.
        place: String,
        /// The column.
        column: String,
        /// What is expected.
        wanted: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// Nothing to find a document by.
    #[error("{place}: the document `{id}` has no text; remove it, or write what it says")]
    NoText {
        /// File, or file and row.
        place: String,
        /// Its id.
        id: String,
    },
    /// Two documents of one id.
    #[error(
        "{place}: the id `{id}` is there twice, first in {first}; every id stands once in a corpus"
    )]
    RepeatedId {
        /// Where it stands again.
        place: String,
        /// The id of the document or passage.
        id: String,
        /// Where it stood first.
        first: String,
    },
    /// A query says that something is relevant which is not there.
    #[error("{place}: the corpus has no passage `{id}`; {hint}")]
    UnknownPassage {
        /// File and row of the query.
        place: String,
        /// The id that is named.
        id: String,
        /// What to do.
        hint: String,
    },
    /// Passages that would not move on.
    #[error(
        "passages of {most_words} words can share fewer than {most_words} words, not {overlap_words}; make them longer, or let them share less"
    )]
    Overlap {
        /// Most words of a passage.
        most_words: usize,
        /// What two are to share.
        overlap_words: usize,
    },
    /// Nothing to search for by words.
    #[error("the corpus has no words to search for; expected texts with letters or digits")]
    NoWords,
    /// A text on which a pattern gives up.
    #[error("cannot split a text into words: {problem}")]
    Words {
        /// Why.
        problem: String,
    },
    /// An encoder gave no vectors.
    #[error("{problem}")]
    Encoder {
        /// What it said.
        problem: String,
    },
    /// A Milvus server does not do what it should.
    #[cfg(feature = "milvus")]
    #[error(transparent)]
    Milvus(#[from] super::MilvusError),
    /// Vectors that cannot be compared.
    #[error("the encoder gave {problem}")]
    Vectors {
        /// What is wrong with them.
        problem: String,
    },
    /// A file of vectors that cannot be used.
    #[error("{}: {problem}", path.display())]
    VectorFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Queries and passages that were embedded by different encoders.
    #[error(
        "vectors of queries have {queries_width} numbers and those of passages {passages_width}: they are of different encoders; embed both with one"
    )]
    OtherEncoder {
        /// Numbers of a query's vector.
        queries_width: usize,
        /// Numbers of a passage's vector.
        passages_width: usize,
    },
    /// A graph that cannot be made.
    #[error("cannot index vectors with HNSW: {problem}; --index exact does without")]
    Graph {
        /// Why.
        problem: String,
    },
    /// A graph that cannot be written.
    #[error("cannot keep a graph of vectors: {problem}")]
    Keeping {
        /// Why.
        problem: String,
    },
    /// More passages than a graph finds.
    #[error(
        "HNSW finds at most {most} passages for a query, not {top_k}; ask for fewer, or search with --index exact"
    )]
    TooManyForGraphs {
        /// How many were asked for.
        top_k: usize,
        /// How many there can be.
        most: usize,
    },
}
