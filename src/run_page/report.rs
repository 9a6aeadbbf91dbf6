//! Writing the page.

use std::path::{Path, PathBuf};

use super::page_builder::page_of;
use crate::{
    compare::Part,
    kept_run::{RunError, find, run::KeptRun},
    prepare::Progress,
    store::{PAGE_FILE, RunFolder, write_atomically},
};

/// Which runs a page is written of.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// The working folder.
    pub work_dir: PathBuf,
    /// Names of runs, or `latest`.
    pub runs: Vec<String>,
    /// The file. Without it, `report.html` in the run's folder, or in the working folder if there are several
    /// runs or the run has no folder.
    pub output: Option<PathBuf>,
}

/// A page that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: usize,
    /// How many samples it shows.
    pub samples: usize,
}

/// Writes the page of runs over one that is there.
pub fn report(options: &ReportOptions, progress: &dyn Progress) -> Result<Report, RunError> {
    find::mended(&options.work_dir, progress, || {
        let runs = opened(&options.work_dir, &options.runs, progress)?;
        let path = match (&options.output, runs.as_slice()) {
            (Some(path), _) => path.clone(),
            (None, [KeptRun { facts, .. }]) if facts.folder.is_some() => {
                let folder = facts.folder.as_deref().unwrap_or_default();
                RunFolder::of(&options.work_dir, folder).page()
            }
            _ => options.work_dir.join(PAGE_FILE),
        };
        write(&runs, path, None, progress)
    })
}

/// Writes the page of a run that has just been finished into its folder.
pub(crate) fn write_into_folder(
    folder: &RunFolder,
    work_dir: &Path,
    progress: &dyn Progress,
) -> Result<Report, RunError> {
    let runs = opened(work_dir, &[folder.time_stamp().to_owned()], progress)?;
    // Models of a run are compared where that is asked for: with many data sets it takes a while.
    write(&runs, folder.page(), Some(Part::Variant), progress)
}

/// Opens runs, each once.
fn opened(
    work_dir: &Path,
    names: &[String],
    progress: &dyn Progress,
) -> Result<Vec<KeptRun>, RunError> {
    let mut runs: Vec<KeptRun> = Vec::with_capacity(names.len());
    for name in names {
        let run = KeptRun::open(work_dir, name, progress)?;
        if runs.iter().all(|other| other.name != run.name) {
            runs.push(run);
        }
    }
    Ok(runs)
}

fn write(
    runs: &[KeptRun],
    path: PathBuf,
    by: Option<Part>,
    progress: &dyn Progress,
) -> Result<Report, RunError> {
    let page = page_of(runs, by, progress)?;
    let html = page.html();
    write_atomically(&path, &html)?;
    Ok(Report { path, bytes: html.len(), samples: page.samples.len() })
}
