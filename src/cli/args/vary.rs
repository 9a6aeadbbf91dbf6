//! Arguments of `vary`.

use std::path::PathBuf;

use clap::Args;

use super::{
    run::AskingOptions,
    value::{positive, resamples},
};
use crate::vary::{Element, Find};

/// Arguments of `vary`.
#[derive(Debug, Args)]
pub(in crate::cli) struct VaryArguments {
    /// An OpenCompass-style config; formats of each of its data sets are tried.
    #[arg(value_name = "CONFIG", required_unless_present = "grammar")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Print what each element of a format may be, and try nothing.
    #[arg(long, conflicts_with = "config")]
    pub(in crate::cli) grammar: bool,
    /// Try so many formats, the config's own included.
    #[arg(long, value_name = "N", default_value = "32", value_parser = positive)]
    pub(in crate::cli) formats: usize,
    /// Change so many elements of a format at most; any number without it.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(in crate::cli) changes: Option<usize>,
    /// Vary only these, with commas between; all without it.
    #[arg(long, value_name = "ELEMENTS", value_delimiter = ',')]
    pub(in crate::cli) elements: Vec<Element>,
    /// What is looked for: spread keeps formats at both ends, best those at the top. The others stop early.
    #[arg(long, value_name = "WHAT", default_value = "spread")]
    pub(in crate::cli) find: Find,
    /// Compute so many tokens at most, all models together. A step that might need more is not begun.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(in crate::cli) budget_tokens: Option<usize>,
    /// Write the best format as a config; with several models one for each, named after it.
    #[arg(short, long, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// Which metric; without it, the first whose samples have scores.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) metric: Option<String>,
    /// From which seed formats, samples and examples are drawn: equal seeds give equal figures.
    #[arg(long, value_name = "N", default_value = "0")]
    pub(in crate::cli) seed: u64,
    /// How often samples are drawn anew for intervals.
    #[arg(long, value_name = "N", default_value = "10000", value_parser = resamples)]
    pub(in crate::cli) resamples: usize,
    /// Show what every format is, also those that stopped early.
    #[arg(long, conflicts_with = "json")]
    pub(in crate::cli) all: bool,
    /// Print everything as JSON, with full precision.
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// How to run them.
    #[command(flatten)]
    pub(in crate::cli) asking: AskingOptions,
    /// Checkpoint to run instead of the config's models: a folder, a GGUF file, or org/name[@revision] on the hub. May be given more than once.
    #[arg(long = "model", value_name = "MODEL")]
    pub(in crate::cli) models: Vec<PathBuf>,
}
