//! Arguments of the commands that work on what earlier runs have kept.

use std::{fmt::Write as _, path::PathBuf};

use clap::Args;

use super::{engine::EngineArguments, value::ComputeType};
use crate::{
    cli::{device::DeviceChoice, facts::facts},
    report::export::{
        CANDIDATE_COLUMNS, DocumentedColumn, ExportFormat, ExportTable, SAMPLE_COLUMNS,
        TOKEN_COLUMNS,
    },
};

/// Help is folded at so many columns.
const HELP_COLUMNS: usize = 80;

/// Arguments of `runs`.
#[derive(Debug, Args)]
pub(in crate::cli) struct RunsArguments {
    /// The working folder.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(in crate::cli) work_dir: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Arguments of `evaluate`.
#[derive(Debug, Args)]
pub(in crate::cli) struct EvaluateArguments {
    /// The run: its name, as `surprisal runs` lists it, or `latest`.
    #[arg(value_name = "RUN")]
    pub(in crate::cli) run: String,
    /// A config whose `eval_cfg` counts instead of the run's, for data sets of the same abbr.
    #[arg(value_name = "CONFIG")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// A scoring rule instead of the one that `eval_cfg` names, or `all` for the figures under each
    /// (`surprisal list rules`).
    #[arg(long, value_name = "RULE")]
    pub(in crate::cli) rule: Option<String>,
    /// The model that judges where a metric asks a judge: a folder, a GGUF file, or org/name[@revision] on the hub. What it
    /// says is kept, and nothing is asked twice.
    #[arg(long, value_name = "MODEL")]
    pub(in crate::cli) judge: Option<PathBuf>,
    /// Run what a model wrote where a metric runs programs, in a sandbox, as for `run`.
    #[arg(long)]
    pub(in crate::cli) allow_code: bool,
    /// Where the judge computes, as for `run`.
    #[arg(
        long = "device",
        value_name = "DEVICES",
        value_delimiter = ',',
        default_value = "auto",
        requires = "judge"
    )]
    pub(in crate::cli) devices: Vec<DeviceChoice>,
    /// The type that devices other than the CPU compute the judge in, as for `run`.
    #[arg(long, value_name = "TYPE", requires = "judge")]
    pub(in crate::cli) dtype: Option<ComputeType>,
    /// How much at once.
    #[command(flatten)]
    pub(in crate::cli) engine: EngineArguments,
    /// The working folder.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(in crate::cli) work_dir: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_long_help = documented_columns())]
pub(in crate::cli) struct ExportArguments {
    /// The run: its name, as `surprisal runs` lists it, or `latest`.
    #[arg(value_name = "RUN")]
    pub(in crate::cli) run: String,
    /// Which table: samples, candidates or tokens.
    #[arg(long, value_name = "TABLE", default_value = "samples")]
    pub(in crate::cli) table: ExportTable,
    /// In which format: jsonl, csv or parquet; without it, what the file's name says, or jsonl.
    #[arg(long, value_name = "FORMAT")]
    pub(in crate::cli) format: Option<ExportFormat>,
    /// The file; stdout without it.
    #[arg(short, long, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// The working folder.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(in crate::cli) work_dir: PathBuf,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ReportArguments {
    /// The runs: their names, as `surprisal runs` lists them, or `latest`.
    #[arg(value_name = "RUN", required = true)]
    pub(in crate::cli) runs: Vec<String>,
    /// The file; without it, report.html in the run's folder, or in the working folder for several
    /// runs and for what `evaluate` has kept. One that is there is replaced.
    #[arg(short, long, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// The working folder.
    #[arg(short, long, value_name = "DIR", default_value = "outputs")]
    pub(in crate::cli) work_dir: PathBuf,
}

/// What each column of the tables is.
fn documented_columns() -> String {
    let tables =
        [("samples", SAMPLE_COLUMNS), ("candidates", CANDIDATE_COLUMNS), ("tokens", TOKEN_COLUMNS)];
    let mut help = String::new();
    for (table, columns) in tables {
        let line = |(name, kind, meaning): &DocumentedColumn| (*name, format!("{kind}, {meaning}"));
        let mut lines: Vec<(&str, String)> = columns.iter().map(line).collect();
        if table == "samples" {
            lines.push((
                "score_METRIC",
                "float, the sample's score: 1 or 0 for a share, nats a token for average_ppl; null \
                 without an answer"
                    .to_owned(),
            ));
        }
        let _ = writeln!(help, "Columns of {table}:\n{}\n", facts(&lines, 0, HELP_COLUMNS));
    }
    help + "Parquet carries the types. What jsonl and csv hold, a reader guesses: pandas takes a run's \
            name\nfor a number, and an empty text in csv is the same as none."
}
