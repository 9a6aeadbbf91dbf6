//! A checkpoint on disk, in Hugging Face layout or as a GGUF file.
//!
//! Opening is cheap and complete: config, tokenizer and the headers of the weights are read and
//! checked against each other, so that a run can refuse a bad checkpoint before it starts. Numbers
//! are only read by [`Checkpoint::load`]. Of a GGUF file everything comes from its metadata.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candle_core::{DType, Device};
use serde_json::Value;

use super::adapter::Adapter;
use super::architectures;
use super::decoder::Decoder;
use super::error::ModelError;
use super::families::{self, Description};
use super::generation_config::GenerationConfig;
use super::gguf::GgufFiles;
use super::inventory;
use super::json;
use super::layer_split::{LayerSplit, ModelBytes};
use super::media::Sight;
use super::names::TensorNames;
use super::spec::DecoderSpec;
use super::tokenizer::Tokenizer;
use super::weights::{
    Loader, ParameterSource, SplitLoader, StoredType, WeightFiles, foreign_weights,
};
use crate::hub::{CheckpointPart, DownloadProgress, Hub, HubName, Silent};
use crate::ops::linear::Activations;
use crate::shipped;

pub(super) const CONFIG_FILE: &str = "config.json";

/// A checked checkpoint, ready to be loaded.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    description: Description,
    tokenizer: Tokenizer,
    generation: GenerationConfig,
    weights: WeightFiles,
    /// The config of the adapter that changes the weights.
    adapter_config: Option<PathBuf>,
    parameters: usize,
    bytes: ModelBytes,
    sight: Arc<Sight>,
}

/// What a checkpoint is opened for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Logits.
    Head,
    /// What the last layer gives.
    Body,
}

/// A model in memory.
#[derive(Clone, Debug)]
pub struct Model {
    /// From token ids to logits.
    pub decoder: Decoder,
    /// Text to ids and back.
    pub tokenizer: Tokenizer,
    /// The authors' defaults for generation.
    pub generation: GenerationConfig,
    /// Memory of its parameters, as [`Checkpoint::weight_bytes`].
    pub weight_bytes: usize,
    /// How it is shown images; nothing of a synthetic model.
    pub sight: Option<Arc<Sight>>,
}

impl Checkpoint {
    /// Opens the checkpoint in a folder or a GGUF file, or of that name on the hub, from which it is
    /// fetched unless it is in the local cache. A folder with a low-rank adapter stands for the
    /// checkpoint that the adapter was trained on, changed by it.
    pub fn open(name: &str, progress: &dyn DownloadProgress) -> Result<Self, ModelError> {
        let place = Self::locate(name, CheckpointPart::Whole, progress)?;
        if Self::is_gguf(&place) {
            return Self::open_gguf(&place);
        }
        if Adapter::is_in(&place) {
            let adapter = Adapter::open(&place)?;
            return Self::assemble(&adapter.base_folder(progress)?, Some(adapter));
        }
        Self::assemble(&place, None)
    }

    /// The same, changed by the adapter in the folder `adapter`, or of that name on the hub.
    pub fn open_with_adapter(
        name: &str,
        adapter: &str,
        progress: &dyn DownloadProgress,
    ) -> Result<Self, ModelError> {
        let place = |name| Self::locate(name, CheckpointPart::Whole, progress);
        let adapter = Adapter::open(&place(adapter)?)?;
        Self::assemble(&place(name)?, Some(adapter))
    }

    /// The place that a name means: itself, what ships with the program, or in the cache what the hub has under that
    /// name. It is a folder, or a file if the name asks for one.
    pub fn locate(
        name: &str,
        part: CheckpointPart,
        progress: &dyn DownloadProgress,
    ) -> Result<PathBuf, ModelError> {
        let path = Path::new(name);
        if path.exists() {
            return Ok(path.to_owned());
        }
        if let Some(place) = shipped::find(name)? {
            return Ok(place);
        }
        let asked =
            HubName::parse(name).ok_or_else(|| ModelError::NotFound { name: name.to_owned() })?;
        Hub::from_env(progress)
            .checkpoint(&asked, part)
            .map_err(|source| ModelError::Hub { name: name.to_owned(), source: Box::new(source) })
    }

    /// Whether a path is that of a GGUF file.
    pub fn is_gguf(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "gguf")
            && path.exists()
            && !path.is_dir()
    }

    /// Opens the checkpoint in a GGUF file, or in the files of which it is the first.
    pub fn open_gguf(path: &Path) -> Result<Self, ModelError> {
        let files = GgufFiles::open(path)?;
        let description = architectures::describe(&files)?;
        let tokenizer = Tokenizer::from_gguf(files.metadata())?;
        let generation = GenerationConfig::from_gguf(files.metadata())?;
        tokenizer.check_vocabulary(description.spec.vocabulary_size)?;
        let weights = WeightFiles::from_gguf(files)?;
        let (parameters, bytes) = inventory::check(&weights, &description)?;
        let refusal = "a model in a GGUF file is shown no images, videos or sounds; use the checkpoint's folder";
        let sight = Sight::of(path, &description.spec, Some(refusal.to_owned()));
        Ok(Self {
            path: path.to_owned(),
            description,
            tokenizer,
            generation,
            weights,
            adapter_config: None,
            parameters,
            bytes,
            sight: Arc::new(sight),
        })
    }

    /// Opens the checkpoint, or the adapter, in a folder.
    pub fn open_folder(folder: &Path) -> Result<Self, ModelError> {
        Self::open(&folder.to_string_lossy(), &Silent)
    }

    /// Opens the checkpoint in a folder for its decoder's last layer alone: it may have no head.
    pub(super) fn open_body(folder: &Path) -> Result<Self, ModelError> {
        Self::assemble_as(folder, None, Need::Body)
    }

    fn assemble(folder: &Path, adapter: Option<Adapter>) -> Result<Self, ModelError> {
        Self::assemble_as(folder, adapter, Need::Head)
    }

    fn assemble_as(
        folder: &Path,
        adapter: Option<Adapter>,
        need: Need,
    ) -> Result<Self, ModelError> {
        let config_path = folder.join(CONFIG_FILE);
        let config = read_config(folder)?;
        let generation = GenerationConfig::read(folder, &config)?;
        let fp8 = families::fp8_scheme(&config_path, &config)?;
        let mut description = families::describe(&config_path, config)?;
        let tokenizer = Tokenizer::read(folder)?;
        tokenizer.check_vocabulary(description.spec.vocabulary_size)?;
        let mut weights = WeightFiles::open(folder)?.with_fp8(fp8);
        let TensorNames { embedding, head, .. } = description.names;
        if weights.differ(&format!("{embedding}.weight"), &format!("{head}.weight"))? {
            // As in transformers: here the config is wrong.
            description.spec.head.tied = false;
        }
        if need == Need::Body && weights.stored_name(&format!("{head}.weight")).is_none() {
            description.spec.head.tied = true;
        }
        let adapter_config = adapter.as_ref().map(Adapter::config_path);
        if let Some(adapter) = adapter {
            adapter.apply(&mut weights, &mut description)?;
        }
        let (parameters, bytes) = inventory::check(&weights, &description)?;
        let refusal = if adapter_config.is_some() {
            Some(
                "a model with an adapter is shown no images, videos or sounds: it may change what sees or hears",
            )
        } else {
            None
        };
        let sight = Sight::of(folder, &description.spec, refusal.map(str::to_owned));
        Ok(Self {
            path: folder.to_owned(),
            description,
            tokenizer,
            generation,
            weights,
            adapter_config,
            parameters,
            bytes,
            sight: Arc::new(sight),
        })
    }

    /// Where it is: a folder or a GGUF file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every file of it that decides a result, for fingerprints.
    pub fn files(&self) -> Vec<PathBuf> {
        let texts = [
            CONFIG_FILE,
            "generation_config.json",
            "preprocessor_config.json",
            "processor_config.json",
            "video_preprocessor_config.json",
        ];
        let texts = texts.iter().map(|name| self.path.join(name)).filter(|path| path.is_file());
        let texts = texts.chain(self.tokenizer.files().iter().cloned());
        let texts = texts.chain(self.adapter_config.clone());
        // A GGUF file is its own tokenizer's.
        let texts = texts.filter(|path| self.weights.paths().all(|weights| weights != path));
        texts.chain(self.weights.paths().map(Path::to_owned)).collect()
    }

    /// How it is shown images and videos, and hears sounds.
    pub fn sight(&self) -> &Arc<Sight> {
        &self.sight
    }

    /// What it computes.
    pub fn spec(&self) -> &DecoderSpec {
        &self.description.spec
    }

    /// Number of parameters; a head tied to the embedding is counted once.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// Bytes of its tensors by the type they are stored in, an adapter's included, the largest share first.
    pub fn stored_types(&self) -> Vec<StoredType> {
        self.weights.stored_types()
    }

    /// The authors' defaults for generation.
    pub fn generation(&self) -> &GenerationConfig {
        &self.generation
    }

    /// The config of the adapter that changes it, if one does.
    pub fn adapter_config(&self) -> Option<&Path> {
        self.adapter_config.as_deref()
    }

    /// Memory that its parameters take on the CPU, in bytes: linear maps and the embedding about as
    /// they are stored, what an adapter changes and the rest as f32.
    pub fn weight_bytes(&self) -> usize {
        self.bytes.sum()
    }

    /// The same by layer.
    pub fn bytes(&self) -> &ModelBytes {
        &self.bytes
    }

    /// Its tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The type that suits a device other than the CPU: the one its weights are stored in, bf16 for
    /// quantised ones.
    pub fn dtype(&self) -> DType {
        self.weights.dtype().unwrap_or(DType::BF16)
    }

    /// Whether the inputs of its weights can be rounded as asked.
    ///
    /// # Errors
    /// They are to be rounded, and no weight is quantised, or the device is not the CPU.
    pub fn check_activations(
        &self,
        activations: Activations,
        is_cpu: bool,
    ) -> Result<(), ModelError> {
        let reason = match activations {
            Activations::Q8 if !is_cpu => "only the CPU rounds activations to q8",
            Activations::Q8 if !self.weights.has_blocks() => {
                "its weights are not quantised, and activations are rounded to q8 only before weights that are"
            }
            Activations::Exact | Activations::Q8 => return Ok(()),
        };
        Err(ModelError::Activations { path: self.path.clone(), reason })
    }

    /// Reads the weights onto `device`, to compute in `dtype`: on the CPU always f32.
    ///
    /// On the CPU the weights of linear maps and the embedding keep the type they are stored in, so
    /// memory stays as large as the files; their numbers are widened exactly while they are read.
    /// On other devices everything is converted to `dtype`.
    pub fn load(&self, device: &Device, dtype: DType) -> Result<Model, ModelError> {
        self.load_for(device, dtype, Activations::Exact)
    }

    /// As [`Self::load`], with the inputs of quantised weights as they are or rounded.
    ///
    /// # Errors
    /// Also where inputs are to be rounded and nothing is quantised, or the device is not the CPU.
    pub fn load_for(
        &self,
        device: &Device,
        dtype: DType,
        activations: Activations,
    ) -> Result<Model, ModelError> {
        self.check_activations(activations, device.is_cpu())?;
        let dtype = if device.is_cpu() { DType::F32 } else { dtype };
        self.load_from(&Loader { files: &self.weights, device, dtype, activations })
    }

    /// As [`Self::load`], with the layers on several `devices`, as `split` says, and all else on the first.
    ///
    /// # Errors
    /// Also where the split names a device that is not there.
    pub fn load_split(
        &self,
        devices: &[Device],
        split: &LayerSplit,
        dtype: DType,
        activations: Activations,
    ) -> Result<Model, ModelError> {
        self.check_activations(activations, false)?;
        let loader = |place: usize| match devices.get(place) {
            Some(device) => Ok(Loader { files: &self.weights, device, dtype, activations }),
            None => {
                Err(ModelError::Device(format!("layers on device {place}, which is not there")))
            }
        };
        let layers = split.devices.iter().map(|&place| loader(place));
        let layers = layers.collect::<Result<Vec<_>, _>>()?;
        self.load_from(&SplitLoader::new(loader(0)?, layers))
    }

    fn load_from(&self, source: &dyn ParameterSource) -> Result<Model, ModelError> {
        let decoder = Decoder::load(source, &self.description.spec, &self.description.names)?;
        Ok(Model {
            decoder,
            tokenizer: self.tokenizer.clone(),
            generation: self.generation.clone(),
            weight_bytes: self.weight_bytes(),
            sight: Some(Arc::clone(&self.sight)),
        })
    }
}

/// Reads the config of the checkpoint in `folder`.
pub(super) fn read_config(folder: &Path) -> Result<Value, ModelError> {
    let path = folder.join(CONFIG_FILE);
    json::read(&path).map_err(|error| match &error {
        // Weights as their makers' own program reads them come without it.
        ModelError::Io { source, .. } if source.kind() == ErrorKind::NotFound => {
            foreign_weights(folder).unwrap_or(error)
        }
        _ => error,
    })
}

#[cfg(test)]
mod tests;
