//! Graphs of passages' vectors, kept in the working folder.

use std::{
    cell::Cell,
    fmt,
    path::{Path, PathBuf},
};

use super::Progress;
use crate::{
    passages::{GraphKeeper, GraphKey, PassageError},
    store::KeptFile,
};

/// Where graphs lie in the working folder, and how their names end.
const KIND: (&str, &str) = ("passage_graphs", "hnsw");

/// Keeps each graph in a file of its own, named by all that decides it: one of other vectors is never used.
pub struct PassageGraphs<'a> {
    folder: &'a Path,
    progress: &'a dyn Progress,
    damaged: Cell<usize>,
}

impl<'a> PassageGraphs<'a> {
    /// Graphs in a working folder, which is made when there is something to keep.
    pub fn new(folder: &'a Path, progress: &'a dyn Progress) -> Self {
        Self { folder, progress, damaged: Cell::new(0) }
    }

    fn path(&self, key: &GraphKey) -> PathBuf {
        KeptFile::path(self.folder, KIND, &key.to_string())
    }
}

impl GraphKeeper for PassageGraphs<'_> {
    fn begin(&self, graphs: usize, missing: usize) {
        let place = self.folder.join(KIND.0);
        let (kept, damaged) = (graphs - missing, self.damaged.take());
        if kept > 0 {
            let place = place.display();
            self.progress.note(&format!(
                "graphs of vectors: {graphs}; {kept} of them were kept in {place} already"
            ));
        }
        if damaged > 0 {
            let place = place.display();
            self.progress
                .note(&format!("graphs in {place} that are damaged and made again: {damaged}"));
        }
        if missing > 0 {
            self.progress.phase(&format!("linking vectors: {missing} graphs"), missing);
        }
    }

    fn kept(&self, key: &GraphKey) -> Option<Vec<u8>> {
        match KeptFile::read(&self.path(key)) {
            Ok(KeptFile::Bytes(bytes)) => Some(bytes),
            Ok(KeptFile::Missing) => None,
            Ok(KeptFile::Damaged) | Err(_) => {
                self.damaged.update(|count| count + 1);
                None
            }
        }
    }

    fn keep(&self, key: &GraphKey, bytes: &[u8]) -> Result<(), PassageError> {
        let written = KeptFile::write(&self.path(key), bytes);
        self.progress.step();
        written.map_err(|error| PassageError::Keeping { problem: error.to_string() })
    }
}

impl fmt::Debug for PassageGraphs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassageGraphs").field("folder", &self.folder).finish_non_exhaustive()
    }
}
