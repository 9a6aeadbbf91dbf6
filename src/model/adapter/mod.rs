//! Low-rank adapters (Hu et al. 2021) as PEFT stores them, merged into a checkpoint as it is loaded.
//!
//! An adapter is a folder with `adapter_config.json` and `adapter_model.safetensors`. Each adapted map
//! of the base becomes W + scale · B · A, computed in f32 and kept so, whatever type the base is stored
//! in: that is what PEFT computes without merging, and rounding the sum back into bf16 would lose the
//! small changes an adapter consists of. Tensors the adapter holds whole, as for `modules_to_save`,
//! take the place of the base's. Merging happens to stored tensors, below everything that knows
//! about fused or turned matrices.
//!
//! Tokenizer, chat template and generation defaults stay those of the base.

mod settings;
mod targets;

use std::path::{Path, PathBuf};

use self::settings::LoraSettings;
use super::checkpoint::Checkpoint;
use super::error::ModelError;
use super::families::Description;
use super::weights::{WeightFile, WeightFiles};
use crate::hub::{CheckpointPart, DownloadProgress};

/// Its presence makes a folder an adapter, as in transformers.
pub(super) const ADAPTER_CONFIG_FILE: &str = "adapter_config.json";
pub(super) const TENSORS_FILE: &str = "adapter_model.safetensors";

/// An adapter whose config is understood and whose tensors' headers are read.
#[derive(Debug)]
pub(super) struct Adapter {
    folder: PathBuf,
    settings: LoraSettings,
    file: WeightFile,
}

impl Adapter {
    /// Opens the adapter in `folder`.
    pub(super) fn open(folder: &Path) -> Result<Self, ModelError> {
        let settings = LoraSettings::read(folder)?;
        let path = folder.join(TENSORS_FILE);
        if !path.exists() && folder.join("adapter_model.bin").is_file() {
            return Err(ModelError::Foreign {
                path: folder.join("adapter_model.bin"),
                what: "is a pickle, which may run code of its own and is not read".to_owned(),
                advice: format!(
                    "convert it once, in that folder: python -c \"import torch, safetensors.torch \
                     as s; s.save_file({{k: v.contiguous() for k, v in torch.load('adapter_model.bin', \
                     map_location='cpu', weights_only=True).items()}}, '{TENSORS_FILE}')\""
                ),
            });
        }
        Ok(Self { folder: folder.to_owned(), settings, file: WeightFile::open(&path)? })
    }

    /// Whether `folder` holds an adapter.
    pub(super) fn is_in(folder: &Path) -> bool {
        folder.join(ADAPTER_CONFIG_FILE).exists()
    }

    /// Its config, which decides results as its tensors do.
    pub(super) fn config_path(&self) -> PathBuf {
        self.folder.join(ADAPTER_CONFIG_FILE)
    }

    /// The folder of the checkpoint it was trained on: as its config names it, which may also be
    /// seen from the adapter's own folder.
    pub(super) fn base_folder(
        &self,
        progress: &dyn DownloadProgress,
    ) -> Result<PathBuf, ModelError> {
        let problem = |problem: String| ModelError::Config { path: self.config_path(), problem };
        let Some(base) = &self.settings.base else {
            let silent = "`base_model_name_or_path` is missing; name the base yourself, with \
                          `path=` beside `peft_path=` in a config";
            return Err(problem(silent.to_owned()));
        };
        let places = [PathBuf::from(base), self.folder.join(base)];
        let folder = match places.into_iter().find(|place| place.is_dir()) {
            Some(folder) => folder,
            None if self.settings.revision.as_deref().is_some_and(|name| name != "main") => {
                return Err(problem(format!(
                    "the base `{base}` is wanted at a `revision` of its own; name its folder \
                     yourself, with `path=` beside `peft_path=` in a config"
                )));
            }
            None => Checkpoint::locate(base, CheckpointPart::Whole, progress)
                .map_err(|error| problem(format!("`base_model_name_or_path`: {error}")))?,
        };
        if Self::is_in(&folder) {
            return Err(problem(format!("the base `{base}` is an adapter itself")));
        }
        Ok(folder)
    }

    /// Changes `weights`, the base's, whose `description` says what they are for.
    pub(super) fn apply(
        self,
        weights: &mut WeightFiles,
        description: &mut Description,
    ) -> Result<(), ModelError> {
        let targets = targets::read(&self.file, &self.settings, weights, &description.names)?;
        let embedding = weights.stored_name(&format!("{}.weight", description.names.embedding));
        let head = format!("{}.weight", description.names.head);
        let changes_embedding = embedding.is_some_and(|name| targets.changes(name));
        if description.spec.head.tied && (changes_embedding || targets.replaces(&head)) {
            // Training with both whole unties them.
            if !(embedding.is_some_and(|name| targets.replaces(name)) && targets.replaces(&head)) {
                return Err(ModelError::Unsupported {
                    path: self.file.path().to_owned(),
                    what: "a change to an embedding that is also the head, which PEFT computes \
                           differently before and after merging,"
                        .to_owned(),
                });
            }
            description.spec.head.tied = false;
        }
        weights.adapt(self.file, targets.whole, targets.low_rank);
        Ok(())
    }
}
