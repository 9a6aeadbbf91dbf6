//! Arguments of `diff`.

use std::path::PathBuf;

use clap::Args;

use super::value::tolerance;
use crate::registry::Pattern;

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(in crate::cli) struct DiffArguments {
    /// The run: its name, as `surprisal runs` lists it, or `latest`.
    #[arg(value_name = "RUN")]
    pub(in crate::cli) run: String,
    /// What it is held against: lm-eval's samples_….jsonl or the folder with them (`--log_samples`), OpenCompass's
    /// predictions/…/….json or the folder with them, or another run of the working folder.
    #[arg(value_name = "OTHER")]
    pub(in crate::cli) other: String,
    /// Only data sets of this abbr; * stands for anything. May be given more than once.
    #[arg(long = "dataset", value_name = "NAME")]
    pub(in crate::cli) datasets: Vec<String>,
    /// Only the run's model of this abbr.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) model_name: Option<String>,
    /// Which filter of lm-eval's samples; without it, the first.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) filter: Option<String>,
    /// Log-likelihoods agree if they are at most so many nats apart.
    #[arg(long, value_name = "NATS", default_value = "1e-4", allow_negative_numbers = true, value_parser = tolerance)]
    pub(in crate::cli) tolerance: f64,
    /// Print everything as JSON, with full precision.
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// The working folder.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(in crate::cli) work_dir: PathBuf,
}

impl DiffArguments {
    /// Whether a data set, by its abbr, is wanted.
    pub(in crate::cli) fn is_wanted(&self) -> impl Fn(&str) -> bool + use<> {
        let patterns: Vec<Pattern> = self.datasets.iter().map(|text| Pattern::new(text)).collect();
        move |abbr| patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(abbr))
    }
}
