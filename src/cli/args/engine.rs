//! Arguments of every command that computes much.

use clap::Args;

use super::value::{positive, threads};

/// How much is computed and kept at once. No score depends on it.
#[derive(Debug, Args)]
pub(in crate::cli) struct EngineArguments {
    /// Threads that compute; one for each core without it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(in crate::cli) threads: Option<usize>,
    /// Most rows of a forward pass; what suits the device without it.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(in crate::cli) batch_tokens: Option<usize>,
    /// Most memory for keys and values; half of what is free without it.
    #[arg(long, value_name = "BYTES", value_parser = positive)]
    pub(in crate::cli) kv_bytes: Option<usize>,
}
