//! Figures for people and for other programs.
//!
//! A run ends in the results files and the summary in OpenCompass's format, byte for byte, for whoever
//! has tools for it; and in figures with standard errors and intervals, for whoever asks whether a
//! difference is one: a [`ResultRow`] for each, a [`FamilyRow`] for data sets that belong together, and
//! the files that hold them. All are values made of values; writing and printing is left to others.

mod details;
mod dialogue;
mod error;
pub mod export;
mod family;
mod family_row;
mod given_answer;
mod group_members;
pub mod page;
mod predictions;
mod prompt_hash;
mod quantity;
mod result_row;
mod statistics;
mod summary;

pub use self::{
    details::{details_csv, details_json},
    error::ReportError,
    export::{ExportFormat, ExportTable, ExportedSample},
    family::{Family, VARIANT_MARK},
    family_row::{FamilyFigure, FamilyRow},
    given_answer::given_answer,
    group_members::incomplete_groups,
    predictions::{prediction_value, predictions},
    prompt_hash::{prompt_hash, prompt_version},
    quantity::{grouped, memory},
    result_row::ResultRow,
    statistics::{reuse_line, statistics_line},
    summary::{StoredResult, Subset, SummarizerConfig, Summary, SummaryDataset, SummaryGroup},
};
