//! The files in a checkpoint's place, without opening it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::Checkpoint;
use crate::hub::files_below;

/// Endings of files that a checkpoint is read from.
const ENDINGS: &[&str] = &["gguf", "jinja", "json", "model", "safetensors", "txt"];

/// Larger settings are not looked into.
const SETTINGS_BYTES: u64 = 64 << 20;

/// Every file that a checkpoint's numbers and prompts can depend on.
#[derive(Clone, Debug)]
pub struct LocalFiles(Vec<PathBuf>);

impl LocalFiles {
    /// The files of the checkpoint at `path`: a folder, or a GGUF file with those it is split into. Nothing
    /// if there is neither, or if weights of another place belong to it.
    pub fn of(path: &Path) -> Option<Self> {
        let is_read = |file: &Path| {
            let ending = file.extension().and_then(|ending| ending.to_str());
            ending.is_some_and(|ending| ENDINGS.contains(&ending))
        };
        let files: Vec<PathBuf> = if Checkpoint::is_gguf(path) {
            let stem = |file: &Path| {
                let name = file.file_name()?.to_string_lossy().into_owned();
                Some(name.split("-0").next()?.to_owned())
            };
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            let siblings = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
            let mut parts: Vec<PathBuf> =
                siblings.filter(|file| is_read(file) && stem(file) == stem(path)).collect();
            parts.sort();
            parts
        } else if path.is_dir() {
            files_below(path)
                .iter()
                .map(|file| path.join(file))
                .filter(|file| is_read(file))
                .collect()
        } else {
            return None;
        };
        let is_adapter = files.iter().any(|file| file.ends_with("adapter_config.json"));
        (!is_adapter && !files.is_empty()).then_some(Self(files))
    }

    /// The same for an adapter's own folder.
    pub fn of_adapter(path: &Path) -> Option<Self> {
        path.is_dir().then(|| Self(files_below(path).iter().map(|file| path.join(file)).collect()))
    }

    /// Their paths.
    pub fn paths(&self) -> &[PathBuf] {
        &self.0
    }

    /// Whether a chat template among them may contain `text`; one inside a GGUF file is not looked at and
    /// may.
    pub fn may_mention(&self, text: &str) -> bool {
        self.0.iter().any(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let may_hold_template = name.ends_with(".jinja")
                || name == "tokenizer_config.json"
                || name == "chat_template.json";
            let is_small = || file.metadata().is_ok_and(|found| found.len() <= SETTINGS_BYTES);
            name.ends_with(".gguf")
                || may_hold_template
                    && (!is_small()
                        || fs::read_to_string(file).map_or(true, |content| content.contains(text)))
        })
    }
}
