//! Something that data sets read.

use serde::Serialize;

use crate::dataset::HubTable;
use crate::hub::{ArchiveAddress, HubName};

/// Whether something is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FetchState {
    /// It was here already.
    Here,
    /// It can be fetched.
    Missing,
    /// It was fetched.
    Fetched,
    /// It cannot be had.
    Unavailable,
}

/// Something that data sets read: an archive, a repository, a checkpoint, or a place.
#[derive(Clone, Debug, Serialize)]
pub struct FetchItem {
    /// What it is called.
    pub name: String,
    /// Whether it is here.
    pub state: FetchState,
    /// How much has to come, as far as it is known; of an archive, packed.
    pub bytes: Option<u64>,
    /// Where it comes from.
    pub from: Option<String>,
    /// Where it lies, or is going to lie.
    pub to: Option<String>,
    /// The data sets that read it.
    pub datasets: Vec<String>,
    /// Why it cannot be had, and what to do.
    pub problem: Option<String>,
    #[serde(skip)]
    pub(super) source: Source,
}

/// What an item is fetched by.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// It is here, or cannot be had.
    Nothing,
    /// An archive, and what must be there once it is unpacked.
    Archive { archive: ArchiveAddress, paths: Vec<String> },
    /// Tables of a repository on the hub.
    Tables(Vec<HubTable>),
    /// A checkpoint on the hub.
    Checkpoint(HubName),
}

impl FetchItem {
    pub(super) fn new(name: String, state: FetchState, datasets: Vec<String>) -> Self {
        Self {
            name,
            state,
            bytes: None,
            from: None,
            to: None,
            datasets,
            problem: None,
            source: Source::Nothing,
        }
    }

    pub(super) fn unavailable(self, problem: String) -> Self {
        Self { state: FetchState::Unavailable, problem: Some(problem), ..self }
    }
}
