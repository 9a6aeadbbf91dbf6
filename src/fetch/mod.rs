//! What the data sets of configs read and is not here: listed with size and place, and fetched.
//!
//! Listing asks servers how long things are and fetches nothing but what tells which files a repository's table is made of.
//! What is one archive or one repository is one item, however many data sets read it. What cannot be had is an
//! item, too, with what to do, so that nothing is passed over.
//!
//! It reads no row, and prints nothing.

mod item;
mod survey;

use std::path::Path;

use item::Source;
pub use item::{FetchItem, FetchState};
pub use survey::survey;

use crate::{
    dataset::data_folder,
    hub::{Archives, CheckpointPart, DownloadProgress, Hub},
};

/// Where all data are is not known.
const NO_HOME: &str = "there is no home folder; set COMPASS_DATA_CACHE to the folder for all data";

/// Fetches an item; what is to be told although all went well. The item says how it went.
pub fn fetch(item: &mut FetchItem, progress: &dyn DownloadProgress) -> Option<String> {
    match fetched(item, progress) {
        Ok(note) => {
            item.state = FetchState::Fetched;
            note
        }
        Err(problem) => {
            item.state = FetchState::Unavailable;
            item.problem = Some(problem);
            None
        }
    }
}

fn fetched(item: &FetchItem, progress: &dyn DownloadProgress) -> Result<Option<String>, String> {
    match &item.source {
        Source::Nothing => Ok(None),
        Source::Archive { archive, paths } => {
            let folder = data_folder().ok_or(NO_HOME)?;
            let kept = Archives::from_env(progress)
                .fetch(archive, &folder)
                .map_err(|error| error.to_string())?;
            let above = folder.parent().unwrap_or(Path::new(""));
            if let Some(missing) = paths.iter().find(|path| !is_here(&above.join(path))) {
                return Err(format!(
                    "{} was unpacked into {}, but there is no {missing} in it; check the path in the config",
                    archive.name(),
                    folder.display()
                ));
            }
            Ok(kept_files(&kept.0))
        }
        Source::Tables(tables) => tables
            .iter()
            .try_for_each(|table| table.fetch(progress))
            .map(|()| None)
            .map_err(|error| error.to_string()),
        Source::Checkpoint(name) => Hub::from_env(progress)
            .checkpoint(name, CheckpointPart::Whole)
            .map(|_| None)
            .map_err(|error| error.to_string()),
    }
}

#[expect(clippy::disallowed_methods, reason = "what was fetched is looked for")]
fn is_here(path: &Path) -> bool {
    path.exists()
}

/// That files were there before.
fn kept_files(kept: &[String]) -> Option<String> {
    let first = kept.first()?;
    let others = match kept.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    Some(format!(
        "{first}{others} lay there with other content than the archive's and stay; delete them and fetch again to \
         have the archive's"
    ))
}
