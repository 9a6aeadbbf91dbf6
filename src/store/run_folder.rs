//! The folder of one run.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Fingerprint, StoreError, write_atomically};

const MANIFEST: &str = "run.json";

/// `<work_dir>/<time stamp>/` and the files in it.
#[derive(Clone, Debug)]
pub struct RunFolder {
    root: PathBuf,
    time_stamp: String,
    resumed: bool,
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    surprisal: String,
    fingerprint: Fingerprint,
    finished: bool,
}

impl RunFolder {
    /// The unfinished folder of the run with this fingerprint, or a new one named by the time stamp.
    pub fn open(
        work_dir: &Path,
        fingerprint: &Fingerprint,
        time_stamp: &str,
    ) -> Result<Self, StoreError> {
        if let Some(folder) = Self::unfinished(work_dir, fingerprint)? {
            return Ok(folder);
        }
        let mut name = time_stamp.to_owned();
        let mut again = 1;
        while work_dir.join(&name).exists() {
            again += 1;
            name = format!("{time_stamp}_{again}");
        }
        let folder = Self { root: work_dir.join(&name), time_stamp: name, resumed: false };
        folder.write_manifest(fingerprint, false)?;
        Ok(folder)
    }

    /// The newest run in a work folder whose manifest names this fingerprint and is not finished.
    fn unfinished(work_dir: &Path, fingerprint: &Fingerprint) -> Result<Option<Self>, StoreError> {
        let entries = match fs::read_dir(work_dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("list", work_dir)(error)),
        };
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        for name in names.into_iter().rev() {
            let root = work_dir.join(&name);
            let Ok(bytes) = fs::read(root.join(MANIFEST)) else { continue };
            let Ok(manifest) = serde_json::from_slice::<Manifest>(&bytes) else { continue };
            if manifest.fingerprint == *fingerprint && !manifest.finished {
                return Ok(Some(Self { root, time_stamp: name, resumed: true }));
            }
        }
        Ok(None)
    }

    /// Marks the run as complete: the same command will start a new one.
    pub fn finish(&self, fingerprint: &Fingerprint) -> Result<(), StoreError> {
        self.write_manifest(fingerprint, true)
    }

    fn write_manifest(&self, fingerprint: &Fingerprint, finished: bool) -> Result<(), StoreError> {
        let manifest = Manifest {
            surprisal: env!("CARGO_PKG_VERSION").to_owned(),
            fingerprint: fingerprint.clone(),
            finished,
        };
        let path = self.root.join(MANIFEST);
        let bytes = serde_json::to_vec_pretty(&manifest).map_err(|error| {
            StoreError::Unwritable { path: path.clone(), what: error.to_string() }
        })?;
        write_atomically(&path, &bytes)
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its name, which also names the summary.
    pub fn time_stamp(&self) -> &str {
        &self.time_stamp
    }

    /// Whether it was there before.
    pub fn resumed(&self) -> bool {
        self.resumed
    }

    /// The records of a data set under a model.
    pub fn records(&self, model: &str, dataset: &str) -> PathBuf {
        self.file("records", model, dataset, "jsonl")
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

    fn file(&self, kind: &str, model: &str, dataset: &str, extension: &str) -> PathBuf {
        self.root
            .join(kind)
            .join(file_name(model))
            .join(format!("{}.{extension}", file_name(dataset)))
    }
}

/// A name that cannot leave its folder.
fn file_name(abbr: &str) -> String {
    let safe: String =
        abbr.chars().map(|c| if matches!(c, '/' | '\\' | '\0') { '_' } else { c }).collect();
    match safe.as_str() {
        "" | "." | ".." => format!("_{safe}"),
        _ => safe,
    }
}
