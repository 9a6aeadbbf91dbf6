//! Arguments of `search`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{milvus::MilvusArguments, value::positive};

/// By what passages are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum SearchBy {
    /// The words that they share with the query.
    Bm25,
    /// The vectors of a sentence encoder.
    Dense,
    /// Their ranks by both.
    Hybrid,
}

/// How vectors are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum SearchIndex {
    /// Every passage is looked at.
    Exact,
    /// Passages that graphs lead to are looked at; some may be passed over.
    Hnsw,
    /// They lie in a Milvus server, which a build with the feature milvus asks.
    Milvus,
}

/// Arguments of `search`.
#[derive(Debug, Args)]
pub(in crate::cli) struct SearchArguments {
    /// A table with ids and texts (.jsonl, .json, .csv, .tsv, .parquet), or a folder of .txt and .md files.
    #[arg(value_name = "CORPUS")]
    pub(in crate::cli) corpus: PathBuf,
    /// What to search for. May be given more than once.
    #[arg(short, long = "query", value_name = "TEXT", required_unless_present = "query_file")]
    pub(in crate::cli) queries: Vec<String>,
    /// A table of queries with the column query, and relevant for the ids of the passages that should be found: then figures
    /// are printed, and --json has what each query found.
    #[arg(long = "queries", value_name = "FILE", conflicts_with = "queries")]
    pub(in crate::cli) query_file: Option<PathBuf>,
    /// By what passages are found.
    #[arg(long, value_name = "WAY", default_value = "bm25")]
    pub(in crate::cli) by: SearchBy,
    /// The sentence encoder for dense and hybrid: a folder, or a name on the hub.
    #[arg(long, value_name = "MODEL")]
    pub(in crate::cli) encoder: Option<String>,
    /// Vectors of the passages that were made before, in their order: a .npy file of float16, float32 or float64. An
    /// encoder beside it is asked about the queries, and checked against a few of the passages.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) vectors: Option<PathBuf>,
    /// Vectors of the queries, instead of an encoder: a .npy file as well.
    #[arg(long, value_name = "FILE", requires = "vectors", conflicts_with = "encoder")]
    pub(in crate::cli) query_vectors: Option<PathBuf>,
    /// How vectors are searched; by default exact up to a million passages, and hnsw beyond.
    #[arg(long, value_name = "KIND", requires_if("milvus", "encoder"))]
    pub(in crate::cli) index: Option<SearchIndex>,
    /// What stands before each query for the encoder, instead of what its files say.
    #[arg(long, value_name = "TEXT", requires = "encoder")]
    pub(in crate::cli) query_prompt: Option<String>,
    /// What stands before each passage for the encoder, instead of what its files say.
    #[arg(long, value_name = "TEXT", requires = "encoder")]
    pub(in crate::cli) passage_prompt: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) milvus: MilvusArguments,
    /// At most so many passages for a query.
    #[arg(short = 'k', long, value_name = "N", default_value_t = 10, value_parser = positive)]
    pub(in crate::cli) top_k: usize,
    /// Cut documents into passages of at most so many words; without it, rows are whole and files have passages of 200.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(in crate::cli) passage_words: Option<usize>,
    /// At most so many words of whole sentences are in two passages.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "passage_words")]
    pub(in crate::cli) overlap_words: usize,
    /// The column of ids; by default _id or id.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) id_column: Option<String>,
    /// The column of texts; by default text.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) text_column: Option<String>,
    /// The column of titles; by default title, if there is one.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) title_column: Option<String>,
    /// The working folder, where vectors of an encoder and graphs of hnsw are kept; otherwise nothing is written.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(in crate::cli) work_dir: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
