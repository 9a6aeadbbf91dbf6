//! What a run comes to.

use std::path::PathBuf;

use serde::Serialize;

use super::{PosixFacts, Unscored, WorkDone};
use crate::{
    report::{FamilyRow, ResultRow},
    warn::WarningCount,
};

/// What a run gives.
#[derive(Debug, Serialize)]
pub struct RunOutcome {
    /// How the run is called; empty where nothing was kept, because nothing new was scored.
    pub name: String,
    /// The folder with everything.
    pub folder: PathBuf,
    /// The page with everything to look at, if it could be written.
    pub page: Option<PathBuf>,
    /// One row per metric, data set and model.
    pub results: Vec<ResultRow>,
    /// One row per metric, family of data sets and model.
    pub families: Vec<FamilyRow>,
    /// Prompt sensitivity of data sets with variants, if it was asked for.
    pub posix: Vec<PosixFacts>,
    /// Samples without an answer.
    pub failed_samples: usize,
    /// How much was asked, and how much of that was known.
    pub work: WorkDone,
    /// Whether an earlier run had done all of it: then nothing new was written.
    pub is_from_store: bool,
    /// What was measured wrongly: found before weights were read, and in the predictions.
    pub warnings: Vec<WarningCount>,
    /// Data sets whose predictions wait for somebody before they have a figure.
    pub unscored: Vec<Unscored>,
    /// Why data sets have no figure; those of the others are there.
    pub errors: Vec<String>,
}
