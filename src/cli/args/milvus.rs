//! Arguments of `search` about a Milvus server.

use clap::Args;

/// Which collection of which server.
#[derive(Debug, Args)]
pub(in crate::cli) struct MilvusArguments {
    /// The Milvus server, with the name of a database behind it if it is not the default one. `SURPRISAL_MILVUS_TOKEN` holds
    /// user:password or a key.
    #[arg(long = "milvus", value_name = "URL", required_if_eq("index", "milvus"))]
    pub(in crate::cli) address: Option<String>,
    /// The collection, instead of one that is named after corpus and encoder.
    #[arg(long, value_name = "NAME", requires = "address")]
    pub(in crate::cli) collection: Option<String>,
    /// The index that the server builds, and what it is searched by: FLAT finds all, HNSW,M=16,efConstruction=200/ef=256 may
    /// not.
    #[arg(long, value_name = "KIND", requires = "address")]
    pub(in crate::cli) milvus_index: Option<String>,
    /// Remove the collection first and fill it anew.
    #[arg(long, requires = "address")]
    pub(in crate::cli) refill: bool,
}
