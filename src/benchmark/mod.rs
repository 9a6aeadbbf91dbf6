//! The ready configs of benchmarks, by their cards.
//!
//! A benchmark is a config like any other, so that it can be read, changed and copied; what must be known before
//! its figure means anything stands at its head, in a fixed form that is read here. It is no registry: the program
//! knows no benchmark by name, and a folder of one's own is listed in the same way.

#![expect(clippy::disallowed_methods, reason = "cards stand in files")]

mod card;

use std::{
    io,
    path::{Path, PathBuf},
};

pub use self::card::{BenchmarkCard, CardProblem, Mode};
use crate::{
    regular_file::{self, MOST_SETTINGS_BYTES},
    shipped,
};

/// Where configs of benchmarks lie, in the repository and inside of the program.
pub const FOLDER: &str = "configs/benchmarks";

/// Why the benchmarks of a folder cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum BenchmarkError {
    /// The folder or a file in it cannot be read.
    #[error("{path} cannot be read: {source}")]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A config has no card, or not all of one.
    #[error("{path}: {problem}")]
    Card {
        /// The config.
        path: PathBuf,
        /// What is wrong and what to do.
        problem: CardProblem,
    },
}

/// A config and its card.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Benchmark {
    /// The name of its file, without `.py`.
    pub name: String,
    /// Its file.
    pub config: PathBuf,
    /// What it says of itself.
    #[serde(flatten)]
    pub card: BenchmarkCard,
}

/// The benchmarks that ship inside of the program, by name.
pub fn shipped() -> Result<Vec<Benchmark>, BenchmarkError> {
    let mut benchmarks = Vec::new();
    for file in shipped::names() {
        let name = file.strip_prefix(FOLDER).and_then(|name| name.strip_prefix('/'));
        let Some(name) = name.and_then(|name| name.strip_suffix(".py")) else { continue };
        if name.contains('/') {
            continue;
        }
        let config = PathBuf::from(file);
        let card = BenchmarkCard::parse(shipped::text(file).unwrap_or_default())
            .map_err(|problem| BenchmarkError::Card { path: config.clone(), problem })?;
        benchmarks.push(Benchmark { name: name.to_owned(), config, card });
    }
    benchmarks.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(benchmarks)
}

/// The benchmarks of a folder, by name. Folders in it hold what configs share.
pub fn read_folder(folder: &Path) -> Result<Vec<Benchmark>, BenchmarkError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| BenchmarkError::Unreadable { path, source }
    };
    let mut benchmarks = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable(folder))? {
        let path = entry.map_err(unreadable(folder))?.path();
        let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        if path.extension().is_none_or(|ending| ending != "py") || !path.is_file() {
            continue;
        }
        let text =
            regular_file::read_text(&path, MOST_SETTINGS_BYTES).map_err(unreadable(&path))?;
        let card = BenchmarkCard::parse(&text)
            .map_err(|problem| BenchmarkError::Card { path: path.clone(), problem })?;
        benchmarks.push(Benchmark { name: name.to_owned(), card, config: path });
    }
    benchmarks.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(benchmarks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_benchmark_has_a_card() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
        let benchmarks = read_folder(&folder).unwrap();
        let names = |of: &[Benchmark]| of.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&shipped().unwrap()), names(&benchmarks));
        assert!(benchmarks.len() >= 25, "{}", benchmarks.len());
        let is_sorted = benchmarks.is_sorted_by(|left, right| left.name < right.name);
        assert!(is_sorted);
        for mode in [Mode::Ppl, Mode::Gen, Mode::PplOnly] {
            assert!(benchmarks.iter().any(|benchmark| benchmark.card.mode == mode), "{mode}");
        }
        for benchmark in benchmarks {
            let text = std::fs::read_to_string(&benchmark.config).unwrap();
            assert!(text.lines().count() <= 80, "{}", benchmark.name);
        }
    }

    #[test]
    fn a_config_without_a_card_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("own.py"), "datasets = []\n").unwrap();
        std::fs::write(folder.path().join("notes.txt"), "no config").unwrap();
        let error = read_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains("own.py: ") && error.contains("docstring"), "{error}");
        let error = read_folder(&folder.path().join("gone")).unwrap_err().to_string();
        assert!(error.contains("gone cannot be read"), "{error}");
    }
}
