//! What is named on the command line: a file of lm-eval, predictions of OpenCompass, or a kept run.

#![expect(clippy::disallowed_methods, reason = "people name files and folders")]

use std::path::{Path, PathBuf};

use super::{DiffError, side::SideFormat, side_settings::SideSettings};
use crate::regular_file;

/// What the other side is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// Files of samples, with the names of their tasks.
    LmEval(Vec<(String, PathBuf)>),
    /// A predictions file.
    Predictions(PathBuf),
    /// A folder of predictions, below which models have folders.
    PredictionsFolder(PathBuf),
    /// A run of the working folder.
    Run(String),
}

/// The parts of a predictions file, and what was made of them.
pub(super) struct PredictionsFile {
    pub(super) name: String,
    pub(super) parts: Vec<String>,
    pub(super) results: Option<String>,
}

impl Given {
    /// What a name means: a file or a folder that is there, else a run.
    pub(super) fn of(name: &str) -> Result<Self, DiffError> {
        let path = PathBuf::from(name);
        if path.is_dir() {
            return Self::of_folder(&path);
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        let is_file = matches!(ending, Some("jsonl" | "json"));
        if is_file && !path.exists() && !part(&path, 0).exists() {
            return Err(DiffError::Choice { what: format!("{name}: there is no such file") });
        }
        match ending {
            Some("jsonl") => Ok(Self::LmEval(vec![(task_name(&path), path)])),
            Some("json") => Ok(Self::Predictions(path)),
            _ if path.exists() => Err(DiffError::Choice {
                what: format!(
                    "{name}: a file of samples ends in .jsonl (lm-eval) and one of predictions in .json (OpenCompass)"
                ),
            }),
            _ => Ok(Self::Run(name.to_owned())),
        }
    }

    fn of_folder(folder: &Path) -> Result<Self, DiffError> {
        let mut samples: Vec<(String, PathBuf)> = entries(folder)?
            .into_iter()
            .filter(|path| is_samples_file(path))
            .map(|path| (task_name(&path), path))
            .collect();
        if samples.is_empty() {
            let below = folder.join("predictions");
            return Ok(Self::PredictionsFolder(if below.is_dir() {
                below
            } else {
                folder.to_owned()
            }));
        }
        // Names end in the date: of several files of a task the last counts.
        samples.sort();
        let mut latest: Vec<(String, PathBuf)> = Vec::new();
        for (task, path) in samples {
            match latest.last_mut().filter(|(known, _)| *known == task) {
                Some(known) => known.1 = path,
                None => latest.push((task, path)),
            }
        }
        Ok(Self::LmEval(latest))
    }

    /// Where it comes from.
    pub(super) fn format(&self) -> SideFormat {
        match self {
            Self::LmEval(_) => SideFormat::LmEval,
            Self::Predictions(_) | Self::PredictionsFolder(_) => SideFormat::OpenCompass,
            Self::Run(_) => SideFormat::KeptRun,
        }
    }
}

/// The text of a file.
pub(super) fn text_of(path: &Path) -> Result<String, DiffError> {
    let failed = |source| DiffError::File { path: path.to_owned(), source };
    let bytes = regular_file::read_whole(path).map_err(failed)?;
    String::from_utf8(bytes).map_err(|_| {
        failed(std::io::Error::new(std::io::ErrorKind::InvalidData, "it is not UTF-8"))
    })
}

/// The predictions of a data set in a folder: below that of its model, or of the only model there is, or in the folder
/// itself. Nothing if it is not there.
pub(super) fn predictions_in(
    folder: &Path,
    [model, dataset]: [&str; 2],
    is_only_model: bool,
) -> Result<Option<PredictionsFile>, DiffError> {
    let mut folders = vec![folder.join(model), folder.to_owned()];
    let below: Vec<PathBuf> = entries(folder)?.into_iter().filter(|path| path.is_dir()).collect();
    if let ([only], true) = (below.as_slice(), is_only_model) {
        folders.push(only.clone());
    }
    for own in folders {
        let file = own.join(format!("{dataset}.json"));
        if file.is_file() || part(&file, 0).is_file() {
            return predictions_file(&file).map(Some);
        }
    }
    Ok(None)
}

/// A predictions file, whole or in parts that are numbered, with the results file that belongs to it.
pub(super) fn predictions_file(file: &Path) -> Result<PredictionsFile, DiffError> {
    let paths: Vec<PathBuf> = if file.exists() {
        vec![file.to_owned()]
    } else {
        let parts = (0..).map(|number| part(file, number)).take_while(|path| path.is_file());
        Some(parts.collect())
            .filter(|parts: &Vec<PathBuf>| !parts.is_empty())
            .unwrap_or(vec![file.to_owned()])
    };
    let parts: Result<Vec<String>, DiffError> = paths.iter().map(|path| text_of(path)).collect();
    let results = || {
        let model = file.parent()?;
        let run = model.parent()?.parent()?;
        let path = run.join("results").join(model.file_name()?).join(file.file_name()?);
        path.is_file().then(|| text_of(&path).ok()).flatten()
    };
    Ok(PredictionsFile { name: short_name(file), parts: parts?, results: results() })
}

/// `name.json` → `name_0.json`, as OpenCompass numbers the parts of a large data set.
fn part(file: &Path, number: usize) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{stem}_{number}.json"))
}

/// A file's name as messages have it.
pub(super) fn short_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The name of a file without its ending.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// `samples_<task>_<date>.jsonl` → the task.
fn task_name(path: &Path) -> String {
    let stem = stem(path);
    let name = stem.strip_prefix("samples_").unwrap_or(&stem);
    match name.rsplit_once('_') {
        Some((task, date)) if is_date(date) => task.to_owned(),
        _ => name.to_owned(),
    }
}

/// As lm-eval writes it: `2026-01-31T12-00-00.123456`.
fn is_date(text: &str) -> bool {
    text.len() >= 19
        && text.contains('T')
        && text.chars().all(|own| own.is_ascii_digit() || matches!(own, '-' | 'T' | '.' | ':'))
}

/// What lm-eval says of the model in the results file of the same date.
pub(super) fn settings_beside(samples: &Path) -> Option<SideSettings> {
    let stem = stem(samples);
    let (_, date) = stem.rsplit_once('_').filter(|(_, date)| is_date(date))?;
    let path = samples.with_file_name(format!("results_{date}.json"));
    SideSettings::of_results(&text_of(&path).ok()?)
}

fn is_samples_file(path: &Path) -> bool {
    let name = short_name(path);
    name.starts_with("samples_") && path.extension().is_some_and(|ending| ending == "jsonl")
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, DiffError> {
    let failed = |source| DiffError::File { path: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn names_say_what_is_meant() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [
            "a/samples_x_y_2026-01-01T00-00-00.5.jsonl",
            "a/samples_x_y_2026-01-02T00-00-00.5.jsonl",
            "b/predictions/m/d.json",
        ] {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), "{}").unwrap();
        }
        let given = |name: &str| Given::of(&at(name).to_string_lossy()).unwrap();
        assert_eq!(
            given("a"),
            Given::LmEval(vec![(
                "x_y".to_owned(),
                at("a/samples_x_y_2026-01-02T00-00-00.5.jsonl")
            )])
        );
        assert_eq!(given("b"), Given::PredictionsFolder(at("b/predictions")));
        assert_eq!(
            given("b/predictions/m/d.json"),
            Given::Predictions(at("b/predictions/m/d.json"))
        );
        assert_eq!(Given::of("latest").unwrap(), Given::Run("latest".to_owned()));
        let found = |model, is_only| {
            predictions_in(&at("b/predictions"), [model, "d"], is_only).unwrap().is_some()
        };
        assert!(found("m", false) && found("n", true) && !found("n", false));
    }

    #[test]
    fn tasks_are_named_by_their_files() {
        for (file, task) in [
            ("samples_arc_easy.jsonl", "arc_easy"),
            ("samples_arc_easy_2026-01-31T12-00-00.123456.jsonl", "arc_easy"),
            ("mine.jsonl", "mine"),
        ] {
            assert_eq!(task_name(Path::new(file)), task);
        }
    }
}
