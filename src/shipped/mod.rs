//! What ships inside of the program: ready configs, their data, and the checkpoints `pocket` and `pocket_dialogue`.
//!
//! The files have the names that they have in the repository: `configs/demo.py`, `models/pocket`. Configs, data and
//! checkpoints are read from a disk, so all of them are written to a folder in the user's cache first, which is named
//! after what is in it: a program that ships other files has another folder. See [`find`].

mod folder;

use std::{
    path::{Component, Path, PathBuf},
    sync::OnceLock,
};

use self::folder::ShippedFolder;
pub(crate) use self::folder::user_cache;
pub use self::folder::{CACHE, ShippedError};

/// Every file: its name, with slashes, and what is in it; by name.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/shipped_files.rs"));

/// The names of all files.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The text of a file.
pub fn text(name: &str) -> Option<&'static str> {
    let (_, bytes) = FILES.iter().find(|(shipped, _)| *shipped == name)?;
    std::str::from_utf8(bytes).ok()
}

/// The place of the file or folder of this name, if one ships with the program. It is written there if it is not there yet.
///
/// Only names such as `configs/demo.py` or `models/pocket` are known: `./configs/demo.py` is a file in the current folder.
pub fn find(name: &str) -> Result<Option<PathBuf>, ShippedError> {
    known(name).map(|name| Ok(unpacked()?.join(name))).transpose()
}

/// Whether a file or folder of this name ships with the program.
pub fn holds(name: &str) -> bool {
    known(name).is_some()
}

/// The folder with all that ships. Files that are not there yet are written, those that are there are compared.
pub fn unpacked() -> Result<PathBuf, ShippedError> {
    static UNPACKED: OnceLock<PathBuf> = OnceLock::new();
    if let Some(root) = UNPACKED.get() {
        return Ok(root.clone());
    }
    let folder = ShippedFolder::from_env(FILES)?;
    folder.unpack()?;
    Ok(UNPACKED.get_or_init(|| folder.into_root()).clone())
}

/// What a relative path means in a config that ships, if a file or folder of that name ships with it.
pub(crate) fn beside(path: &Path, config: &Path) -> Option<PathBuf> {
    let name = known(path.to_str()?)?;
    let root = ShippedFolder::from_env(FILES).ok()?.into_root();
    config.starts_with(&root).then(|| root.join(name))
}

/// The name of a file, or of a folder with files, in the form that names have here.
fn known(name: &str) -> Option<String> {
    let parts = Path::new(name).components().map(|part| match part {
        Component::Normal(part) => part.to_str(),
        _ => None,
    });
    let name = parts.collect::<Option<Vec<_>>>()?.join("/");
    let is_folder = |file: &str| {
        name.contains('/') && file.rsplit_once('/').is_some_and(|(folder, _)| folder == name)
    };
    names().any(|file| file == name || is_folder(file)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_the_benchmarks_and_the_checkpoints_ship() {
        for name in [
            "configs/demo.py",
            "configs/variants/choices.py",
            "configs/datasets/sums/test.jsonl",
            "configs/benchmarks/mmlu.py",
            "models/pocket/config.json",
            "models/pocket/model.safetensors",
            "models/pocket/tokenizer.json",
            "configs/rag/rewriting.py",
            "configs/datasets/dialogues/test.jsonl",
            "models/pocket_dialogue/model.safetensors",
        ] {
            assert!(names().any(|shipped| shipped == name), "{name}");
        }
        // What trained the checkpoint and what Python leaves behind is nothing to be run.
        let is_idle = |name: &str| name.starts_with("models/") && name.contains(".py");
        assert!(!names().any(|name| is_idle(name) || name.contains("__pycache__")));
        assert!(names().is_sorted());
    }

    #[test]
    fn files_are_those_of_the_repository() {
        for (name, bytes) in FILES {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
            assert!(std::fs::read(path).unwrap() == *bytes, "{name}");
        }
    }

    #[test]
    fn only_names_as_they_stand_in_the_repository_are_known() {
        for name in ["configs/demo.py", "models/pocket", "models/pocket/", "configs/datasets/sums"]
        {
            assert_eq!(known(name).as_deref(), Some(name.trim_end_matches('/')));
        }
        for name in [
            "",
            "models",
            "configs",
            "./configs/demo.py",
            "/configs/demo.py",
            "configs/../demo.py",
            "demo.py",
        ] {
            assert_eq!(known(name), None, "{name}");
        }
    }
}
