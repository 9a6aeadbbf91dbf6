//! A folder of checkpoints.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::checkpoint::{CONFIG_FILE, Checkpoint};

/// The checkpoints just below `folder`, sorted by name: folders with a `config.json`, and GGUF files.
pub fn checkpoints_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut places: Vec<_> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    places.retain(|path| path.join(CONFIG_FILE).is_file() || Checkpoint::is_gguf(path));
    places.sort();
    Ok(places)
}
