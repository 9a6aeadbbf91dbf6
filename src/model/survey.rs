//! What can be said of a checkpoint from its headers, whatever is wrong with it.
//!
//! A good checkpoint is opened as for a run, so that both say the same. Of a bad one, every part is
//! read by itself and every complaint kept.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::adapter::Adapter;
use super::architectures;
use super::checkpoint::{self, Checkpoint};
use super::error::ModelError;
use super::families;
use super::generation_config::GenerationConfig;
use super::gguf::GgufFile;
use super::spec::DecoderSpec;
use super::tokenizer::Tokenizer;
use super::weights::{StoredType, WeightFiles};
use crate::hub::{CheckpointPart, DownloadProgress};

/// What could be read of a checkpoint, whole or damaged.
#[derive(Debug, Default)]
pub struct Survey {
    /// Its folder; with an adapter, that of the base. None if there is no checkpoint at all.
    pub folder: Option<PathBuf>,
    /// The config of the adapter that changes it.
    pub adapter_config: Option<PathBuf>,
    /// `model_type` of its config.
    pub model_type: Option<String>,
    /// `architectures` of its config.
    pub architectures: Vec<String>,
    /// What it computes.
    pub spec: Option<DecoderSpec>,
    /// Its tokenizer.
    pub tokenizer: Option<Tokenizer>,
    /// The authors' defaults for generation.
    pub generation: Option<GenerationConfig>,
    /// Bytes of its tensors by the type they are stored in.
    pub stored_types: Vec<StoredType>,
    /// Its size, if all its parts fit together.
    pub size: Option<ModelSize>,
    /// Why it cannot be run.
    pub problems: Vec<ModelError>,
}

/// The size of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelSize {
    /// Number of parameters.
    pub parameters: usize,
    /// Memory that they take, as [`Checkpoint::weight_bytes`].
    pub weight_bytes: usize,
}

impl Survey {
    /// Looks at the checkpoint that `name` means, as [`Checkpoint::open`]. No weight is read.
    pub fn of(name: &str, progress: &dyn DownloadProgress) -> Self {
        match Checkpoint::open(name, progress) {
            Ok(checkpoint) => Self::of_checkpoint(&checkpoint),
            Err(problem) => match Checkpoint::locate(name, CheckpointPart::Whole, progress) {
                Err(problem) => Self { problems: vec![problem], ..Self::default() },
                Ok(folder) => Self::of_parts(folder, problem, progress),
            },
        }
    }

    fn of_checkpoint(checkpoint: &Checkpoint) -> Self {
        let mut survey = Self {
            folder: Some(checkpoint.path().to_owned()),
            adapter_config: checkpoint.adapter_config().map(Path::to_owned),
            spec: Some(checkpoint.spec().clone()),
            tokenizer: Some(checkpoint.tokenizer().clone()),
            generation: Some(checkpoint.generation().clone()),
            stored_types: checkpoint.stored_types(),
            size: Some(ModelSize {
                parameters: checkpoint.parameters(),
                weight_bytes: checkpoint.weight_bytes(),
            }),
            ..Self::default()
        };
        if Checkpoint::is_gguf(checkpoint.path()) {
            let file = survey.keep(GgufFile::open(checkpoint.path()));
            let name =
                file.as_ref().and_then(|file| survey.keep(architectures::name(file.metadata())));
            survey.model_type = name.map(str::to_owned);
        } else if let Ok(config) = checkpoint::read_config(checkpoint.path()) {
            survey.name(&config);
        }
        survey
    }

    /// Of a checkpoint that cannot be opened because of `problem`, which is told first.
    fn of_parts(folder: PathBuf, problem: ModelError, progress: &dyn DownloadProgress) -> Self {
        let mut survey = Self { problems: vec![problem], ..Self::default() };
        let folder = if Adapter::is_in(&folder) {
            let adapter = survey.keep(Adapter::open(&folder));
            survey.adapter_config = adapter.as_ref().map(Adapter::config_path);
            let base = adapter.and_then(|adapter| survey.keep(adapter.base_folder(progress)));
            match base {
                Some(base) => base,
                None => return survey,
            }
        } else {
            folder
        };
        if let Some(config) = survey.keep(checkpoint::read_config(&folder)) {
            survey.name(&config);
            survey.generation = survey.keep(GenerationConfig::read(&folder, &config));
            let described = families::describe(&folder.join(checkpoint::CONFIG_FILE), config);
            survey.spec = survey.keep(described).map(|description| description.spec);
        }
        survey.tokenizer = survey.keep(Tokenizer::read(&folder));
        let weights = survey.keep(WeightFiles::open(&folder));
        survey.stored_types = weights.map(|weights| weights.stored_types()).unwrap_or_default();
        survey.folder = Some(folder);
        survey
    }

    fn name(&mut self, config: &Value) {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        self.model_type = config.get("model_type").and_then(text);
        let names = config.get("architectures").and_then(Value::as_array);
        self.architectures = names.into_iter().flatten().filter_map(text).collect();
    }

    /// What was read, or else a note of the complaint, once.
    fn keep<T>(&mut self, read: Result<T, ModelError>) -> Option<T> {
        read.map_err(|problem| {
            let text = problem.to_string();
            if self.problems.iter().all(|known| known.to_string() != text) {
                self.problems.push(problem);
            }
        })
        .ok()
    }
}
