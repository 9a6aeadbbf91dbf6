//! The folder of one run.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::StoreError;
use crate::folder_sync;

/// The name of the page in the folder of its run.
pub const PAGE_FILE: &str = "report.html";

/// `<work_dir>/<time stamp>/` and the files in it, laid out as OpenCompass does so that scripts made for it
/// keep working.
#[derive(Clone, Debug)]
pub struct RunFolder {
    root: PathBuf,
    time_stamp: String,
}

impl RunFolder {
    /// A new folder named by the time stamp, with a number behind it where there is one already.
    pub fn create(work_dir: &Path, time_stamp: &str) -> Result<Self, StoreError> {
        let mut name = time_stamp.to_owned();
        let mut again = 1;
        loop {
            let folder = Self::of(work_dir, &name);
            match fs::create_dir(folder.root()) {
                Ok(()) => {
                    folder_sync::sync_name(folder.root())
                        .map_err(StoreError::io("sync the folder of", folder.root()))?;
                    return Ok(folder);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    again += 1;
                    name = format!("{time_stamp}_{again}");
                }
                Err(error) => {
                    return Err(StoreError::io("create the folder", folder.root())(error));
                }
            }
        }
    }

    /// The folder of this name.
    pub fn of(work_dir: &Path, name: &str) -> Self {
        Self { root: work_dir.join(name), time_stamp: name.to_owned() }
    }

    /// Whether all of these are there.
    pub fn are_files(mut files: impl Iterator<Item = PathBuf>) -> bool {
        files.all(|file| file.is_file())
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its name, which also names the summary.
    pub fn time_stamp(&self) -> &str {
        &self.time_stamp
    }

    /// OpenCompass's predictions of a data set under a model.
    pub fn predictions(&self, model: &str, dataset: &str) -> PathBuf {
        self.file("predictions", model, dataset, "json")
    }

    /// OpenCompass's results of a data set under a model.
    pub fn results(&self, model: &str, dataset: &str) -> PathBuf {
        self.file("results", model, dataset, "json")
    }

    /// The config as it was run.
    pub fn config(&self) -> PathBuf {
        self.root.join("configs").join(format!("{}.py", self.time_stamp))
    }

    /// The summary in one of its formats: `txt`, `csv` or `md`.
    pub fn summary(&self, extension: &str) -> PathBuf {
        self.root.join("summary").join(format!("summary_{}.{extension}", self.time_stamp))
    }

    /// The figures with their intervals: `csv` or `json`.
    pub fn details(&self, extension: &str) -> PathBuf {
        self.root.join("summary").join(format!("details.{extension}"))
    }

    /// The page.
    pub fn page(&self) -> PathBuf {
        self.root.join(PAGE_FILE)
    }

    fn file(&self, kind: &str, model: &str, dataset: &str, extension: &str) -> PathBuf {
        self.root
            .join(kind)
            .join(file_name(model))
            .join(format!("{}.{extension}", file_name(dataset)))
    }
}

/// The name of the folder or file of a model or data set, which cannot leave its folder.
pub(crate) fn file_name(abbr: &str) -> String {
    let safe: String =
        abbr.chars().map(|c| if matches!(c, '/' | '\\' | '\0') { '_' } else { c }).collect();
    match safe.as_str() {
        "" | "." | ".." => format!("_{safe}"),
        _ => safe,
    }
}
