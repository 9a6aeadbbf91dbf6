//! Finding the configs that ship with the program.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// A file or folder of the project in the current folder, or in the source tree that holds the program.
pub(super) fn find(name: &str) -> anyhow::Result<PathBuf> {
    let here = Path::new(name);
    if here.exists() {
        return Ok(here.to_owned());
    }
    let program = std::env::current_exe().ok();
    let mut places = program.iter().flat_map(|program| program.ancestors());
    places.find_map(|folder| Some(folder.join(name)).filter(|path| path.exists())).with_context(
        || format!("{name} is neither here nor beside the program; work in the project's folder"),
    )
}
