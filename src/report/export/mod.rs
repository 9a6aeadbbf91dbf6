//! Flat tables of a run, for pandas, Polars, DuckDB and the like.
//!
//! Three tables, each a line per thing: samples, candidates, tokens. Columns have one type each and are the
//! same in every format; a cell may be empty (null), and a number is never written as text. What the columns
//! mean stands where they are defined ([`SAMPLE_COLUMNS`], [`CANDIDATE_COLUMNS`], [`TOKEN_COLUMNS`]).

mod candidates;
mod csv;
mod jsonl;
mod parquet;
mod samples;
mod tokens;

use std::{fmt, io, str::FromStr};

use serde_json::Value as Json;

use crate::{dataset::Sample, evaluate::Row, infer::Record, score::Rule};

pub use candidates::CANDIDATE_COLUMNS;
pub use samples::{SAMPLE_COLUMNS, score_column};
pub use tokens::TOKEN_COLUMNS;

/// Which things a table has lines for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportTable {
    /// Samples.
    Samples,
    /// Scored texts.
    Candidates,
    /// Tokens of prompts and continuations.
    Tokens,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A JSON object a line.
    Jsonl,
    /// Comma-separated, with a heading.
    Csv,
    /// Parquet, compressed with zstd.
    Parquet,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// UTF-8.
    Text,
    /// 64 bits, signed.
    Integer,
    /// 64 bits.
    Float,
    /// True or false.
    Boolean,
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Boolean => "boolean",
        })
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: ColumnType,
}

/// A column that a table always has: name, type, meaning.
pub type DocumentedColumn = (&'static str, ColumnType, &'static str);

/// What stands in a line under a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number; NaN and infinities become null where a format has none.
    Float(f64),
    /// A truth value.
    Boolean(bool),
}

/// A sample with all that is known about it.
pub struct ExportedSample<'a> {
    /// The run's name.
    pub run: &'a str,
    /// Short name of the model.
    pub model: &'a str,
    /// Short name of the data set.
    pub dataset: &'a str,
    /// `ppl`, `gen`, ….
    pub mode: &'a str,
    /// The row of the data set.
    pub sample: &'a Sample,
    /// What was asked and answered.
    pub record: &'a Record,
    /// Our name of the scoring rule.
    pub rule_name: &'a str,
    /// Chooses among candidates.
    pub rule: &'a dyn Rule,
    /// The sample as its metric sees it, if there is one and the sample is answered.
    pub compared: Option<&'a Row<'a>>,
    /// Whether choosing a label is right; nothing without a gold.
    pub is_gold: &'a dyn Fn(&Json) -> Option<bool>,
    /// The sample's score under each metric of the run, in the order of the columns.
    pub scores: Vec<Option<f64>>,
    /// The texts of the model's tokens.
    pub token_text: &'a dyn Fn(u32) -> Option<String>,
}

/// Takes the lines of a table.
pub trait TableWriter {
    /// Writes a line; as many cells as there are columns.
    fn line(&mut self, cells: Vec<Cell>) -> io::Result<()>;

    /// Ends the table.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

impl ExportTable {
    /// Its columns; `metrics` are those of the run.
    pub fn columns(self, metrics: &[String]) -> Vec<Column> {
        let documented = match self {
            Self::Samples => SAMPLE_COLUMNS,
            Self::Candidates => CANDIDATE_COLUMNS,
            Self::Tokens => TOKEN_COLUMNS,
        };
        let fixed = documented
            .iter()
            .map(|(name, kind, _)| Column { name: (*name).to_owned(), kind: *kind });
        let scores = metrics
            .iter()
            .filter(|_| self == Self::Samples)
            .map(|metric| Column { name: score_column(metric), kind: ColumnType::Float });
        fixed.chain(scores).collect()
    }

    /// Its lines for a sample.
    pub fn lines(self, sample: &ExportedSample<'_>) -> Vec<Vec<Cell>> {
        match self {
            Self::Samples => vec![samples::line(sample)],
            Self::Candidates => candidates::lines(sample),
            Self::Tokens => tokens::lines(sample),
        }
    }
}

impl ExportFormat {
    /// A writer of this format.
    pub fn writer<'w>(
        self,
        out: Box<dyn io::Write + Send + 'w>,
        columns: Vec<Column>,
    ) -> io::Result<Box<dyn TableWriter + 'w>> {
        Ok(match self {
            Self::Jsonl => Box::new(jsonl::JsonlWriter::new(out, columns)),
            Self::Csv => Box::new(csv::CsvWriter::new(out, &columns)?),
            Self::Parquet => Box::new(parquet::ParquetWriter::new(out, columns)?),
        })
    }
}

impl FromStr for ExportTable {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "samples" => Ok(Self::Samples),
            "candidates" => Ok(Self::Candidates),
            "tokens" => Ok(Self::Tokens),
            _ => Err("expected samples, candidates or tokens".to_owned()),
        }
    }
}

impl FromStr for ExportFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "jsonl" => Ok(Self::Jsonl),
            "csv" => Ok(Self::Csv),
            "parquet" => Ok(Self::Parquet),
            _ => Err("expected jsonl, csv or parquet".to_owned()),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        i64::try_from(number).map_or(Self::Null, Self::Integer)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<bool> for Cell {
    fn from(flag: bool) -> Self {
        Self::Boolean(flag)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
