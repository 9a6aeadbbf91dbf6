//! Finding the files that a config names.

use std::path::{Path, PathBuf};

use crate::shipped;

/// What stands for the config of a file that is run without one: nothing is looked for beside it or above.
pub(crate) const WITHOUT_CONFIG: &str = "";

/// Where a relative path was looked for, in words.
pub(crate) fn looked_in(config: &Path) -> &'static str {
    if config == Path::new(WITHOUT_CONFIG) {
        "the current folder"
    } else {
        "the current folder and in the config's folder and above"
    }
}

/// The file or folder that a config means by a relative path: seen from the current folder, as
/// OpenCompass does, or else from the config's own folder and those above it, so that a config in a
/// repository works from anywhere. A config that ships with the program means what ships with it.
pub(crate) fn locate(path: &Path, config: &Path) -> Option<PathBuf> {
    if let Some(shipped) = shipped::beside(path, config).filter(|shipped| shipped.exists()) {
        return Some(shipped);
    }
    if path.exists() {
        return Some(path.to_owned());
    }
    let config = std::path::absolute(config).ok()?;
    config.ancestors().skip(1).map(|folder| folder.join(path)).find(|candidate| candidate.exists())
}

/// Another file or folder of that name by the config, which is passed over for the one in the current folder.
fn passed_over(path: &Path, config: &Path) -> Option<PathBuf> {
    if shipped::beside(path, config).is_some() {
        return None;
    }
    let taken = path.canonicalize().ok()?;
    let config = std::path::absolute(config).ok()?;
    let mut others = config.ancestors().skip(1).map(|folder| folder.join(path));
    others
        .find(|candidate| candidate.exists())
        .filter(|other| other.canonicalize().is_ok_and(|other| other != taken))
}

/// What is to be said where a name is found in the current folder and by the config.
pub(crate) fn note_of_other(written: &str, config: &Path) -> Option<String> {
    let other = passed_over(Path::new(written), config)?;
    Some(format!(
        "{written} is read in the current folder; {} by the config is another and is not read",
        other.display()
    ))
}

/// The place of what ships with the program under a name that is found nowhere else, and a note that says so; or why it
/// cannot be put there.
pub(crate) fn shipped_place(written: &str) -> Result<Option<(PathBuf, String)>, String> {
    let place = shipped::find(written).map_err(|error| error.to_string())?;
    Ok(place.map(|place| {
        let note = format!(
            "{written} is not here; the one that ships with the program is read, {}",
            place.display()
        );
        (place, note)
    }))
}
