//! Figures for people and for other programs.
//!
//! A run ends in four texts: the results files and the summary in OpenCompass's format, byte for byte,
//! for whoever has tools for it; and a table with standard errors, for whoever asks whether a
//! difference is one. All are values made of values; writing them somewhere is left to others.

mod aligned;
mod dialogue;
mod error;
pub mod export;
mod predictions;
mod prompt_hash;
mod quantity;
mod statistics;
mod summary;
mod table;

pub use self::{
    aligned::{Align, table as aligned_table},
    error::ReportError,
    export::{ExportFormat, ExportTable, ExportedSample},
    predictions::{prediction_value, predictions},
    prompt_hash::{prompt_hash, prompt_version},
    quantity::{grouped, memory},
    statistics::{reuse_line, statistics_line},
    summary::{StoredResult, Subset, SummarizerConfig, Summary, SummaryDataset, SummaryGroup},
    table::{ResultRow, console_table},
};
