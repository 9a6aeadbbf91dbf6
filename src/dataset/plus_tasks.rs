//! The tasks of `EvalPlus` with their inputs: the file that its package keeps in the user's cache, or another one.
//!
//! A task stays the text that it is in the file, because it holds whole numbers of any length; Python reads it.

use std::{
    collections::HashMap,
    env, fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::DatasetError;
use crate::regular_file;

/// Which tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlusSet {
    /// Those of `HumanEval`.
    HumanEval,
    /// Those of MBPP.
    Mbpp,
}

/// Tasks by name, each a line of JSON.
#[derive(Debug)]
pub(crate) struct PlusTasks {
    path: PathBuf,
    lines: HashMap<String, String>,
}

#[derive(Deserialize)]
struct Named {
    task_id: String,
}

impl PlusSet {
    /// The variable of `EvalPlus`'s that names the file, and how the file's name begins.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::HumanEval => ("HUMANEVAL_OVERRIDE_PATH", "HumanEvalPlus-v"),
            Self::Mbpp => ("MBPP_OVERRIDE_PATH", "MbppPlus-v"),
        }
    }

    /// The file in the cache, the latest version if there are several.
    fn cached(self) -> Option<PathBuf> {
        let (variable, begin) = self.names();
        if let Some(path) = env::var_os(variable).filter(|path| !path.is_empty()) {
            return Some(PathBuf::from(path));
        }
        let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))?;
        let files = fs::read_dir(cache.join("evalplus")).ok()?.flatten().map(|file| file.path());
        let is_it = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(begin) && path.extension().is_some_and(|end| end == "jsonl")
        };
        let mut files: Vec<PathBuf> = files.filter(is_it).collect();
        // By length first, so that version 10 comes after version 9.
        files.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
        files.pop()
    }
}

impl PlusTasks {
    /// Reads the file that is named, or that is in the cache.
    pub(crate) fn read(set: PlusSet, named: Option<&Path>) -> Result<Self, DatasetError> {
        let (variable, begin) = set.names();
        let Some(path) = named.map(Path::to_owned).or_else(|| set.cached()) else {
            return Err(DatasetError::NoSuchPlace {
                path: format!("{begin}….jsonl"),
                looked_in: "~/.cache/evalplus".to_owned(),
                remedy: format!(
                    "unpack {begin}….jsonl.gz of a release of EvalPlus there, or name the file in {variable}"
                ),
            });
        };
        let unreadable = |source| DatasetError::Unreadable { path: path.clone(), source };
        let bytes = regular_file::read_whole(&path).map_err(unreadable)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = HashMap::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let Named { task_id } =
                serde_json::from_str(line).map_err(|error| DatasetError::Malformed {
                    place: format!("{}, line {}", path.display(), index + 1),
                    problem: format!("it is no task of EvalPlus: {error}"),
                })?;
            lines.insert(task_id, line.to_owned());
        }
        Ok(Self { path, lines })
    }

    /// A task as it stands in the file.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.lines.get(name).map(String::as_str)
    }

    /// The file, for people.
    pub(crate) fn place(&self) -> String {
        self.path.display().to_string()
    }
}
