//! A checkpoint on disk, in Hugging Face layout.
//!
//! Opening is cheap and complete: config, tokenizer and the headers of the weights are read and
//! checked against each other, so that a run can refuse a bad checkpoint before it starts. Numbers
//! are only read by [`Checkpoint::load`].

use std::path::{Path, PathBuf};

use candle_core::{DType, Device};
use hf_hub::Cache;

use super::decoder::Decoder;
use super::error::ModelError;
use super::families::{self, Description};
use super::generation_config::GenerationConfig;
use super::json;
use super::names::spellings;
use super::spec::DecoderSpec;
use super::tokenizer::Tokenizer;
use super::weights::{HeaderCheck, Loader, WeightFiles};

const CONFIG_FILE: &str = "config.json";

/// A checked checkpoint, ready to be loaded.
#[derive(Debug)]
pub struct Checkpoint {
    folder: PathBuf,
    description: Description,
    tokenizer: Tokenizer,
    generation: GenerationConfig,
    weights: WeightFiles,
    weight_bytes: usize,
}

/// A model in memory.
#[derive(Clone, Debug)]
pub struct Model {
    /// Computes.
    pub decoder: Decoder,
    /// Text to ids and back.
    pub tokenizer: Tokenizer,
    /// The authors' defaults for generation.
    pub generation: GenerationConfig,
    /// Memory of its parameters, as [`Checkpoint::weight_bytes`].
    pub weight_bytes: usize,
}

impl Checkpoint {
    /// Opens the checkpoint in a folder, or of that name in the local Hugging Face cache.
    ///
    /// Nothing is downloaded.
    pub fn open(name: &str) -> Result<Self, ModelError> {
        Self::open_folder(&Self::locate(name)?)
    }

    /// The folder that a name means: itself, or the checkpoint of that name in the local cache.
    pub fn locate(name: &str) -> Result<PathBuf, ModelError> {
        let folder = Path::new(name);
        if folder.is_dir() {
            return Ok(folder.to_owned());
        }
        let cache = Cache::from_env();
        let cached = cache.model(name.to_owned()).get(CONFIG_FILE);
        cached.as_deref().and_then(Path::parent).map(Path::to_owned).ok_or_else(|| {
            ModelError::NotFound { name: name.to_owned(), cache: cache.path().clone() }
        })
    }

    /// Opens the checkpoint in a folder.
    pub fn open_folder(folder: &Path) -> Result<Self, ModelError> {
        let config_path = folder.join(CONFIG_FILE);
        let config = json::read(&config_path)?;
        let generation = GenerationConfig::read(folder, &config)?;
        let description = families::describe(&config_path, config)?;
        let tokenizer = Tokenizer::read(folder)?;
        tokenizer.check_vocabulary(description.spec.vocabulary_size)?;
        let weights = WeightFiles::open(folder)?;
        let weight_bytes = check(&weights, &description)?;
        let folder = folder.to_owned();
        Ok(Self { folder, description, tokenizer, generation, weights, weight_bytes })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Every file of it that decides a result, for fingerprints.
    pub fn files(&self) -> Vec<PathBuf> {
        let texts =
            [CONFIG_FILE, "generation_config.json", "tokenizer.json", "tokenizer_config.json"];
        let texts = texts.iter().map(|name| self.folder.join(name)).filter(|path| path.is_file());
        texts.chain(self.weights.paths().map(Path::to_owned)).collect()
    }

    /// What it computes.
    pub fn spec(&self) -> &DecoderSpec {
        &self.description.spec
    }

    /// Memory that its parameters take on the CPU, in bytes: linear maps and the embedding as they
    /// are stored, the rest as f32.
    pub fn weight_bytes(&self) -> usize {
        self.weight_bytes
    }

    /// Its tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Reads the weights onto `device`, to compute in `dtype`: on the CPU always f32.
    ///
    /// On the CPU the weights of linear maps and the embedding keep the type they are stored in, so
    /// memory stays as large as the files; their numbers are widened exactly while they are read.
    /// On other devices everything is converted to `dtype`.
    pub fn load(&self, device: &Device, dtype: DType) -> Result<Model, ModelError> {
        let dtype = if device.is_cpu() { DType::F32 } else { dtype };
        let source = Loader { files: &self.weights, device, dtype };
        let decoder = Decoder::load(&source, &self.description.spec, &self.description.names)?;
        Ok(Model {
            decoder,
            tokenizer: self.tokenizer.clone(),
            generation: self.generation.clone(),
            weight_bytes: self.weight_bytes,
        })
    }
}

/// Builds the decoder from headers alone, and refuses tensors it has no use for. The memory that the
/// parameters will take, in bytes.
fn check(weights: &WeightFiles, description: &Description) -> Result<usize, ModelError> {
    let Description { spec, names } = description;
    let headers = HeaderCheck::new(weights);
    Decoder::load(&headers, spec, names)?;
    let weight_bytes = headers.bytes();
    // Old checkpoints store rotary frequencies, which follow from the config, and a tied head may
    // be stored a second time.
    let tied_head = format!("{}.weight", names.head);
    let ignored = |name: &str| {
        name.ends_with("rotary_emb.inv_freq")
            || spec.head.tied && spellings(&tied_head).any(|spelling| spelling == name)
            || names.ignored.iter().any(|part| name.contains(part))
    };
    match headers.unused(ignored) {
        None => Ok(weight_bytes),
        Some((path, tensor)) => Err(ModelError::Unsupported {
            path,
            what: format!("tensor `{tensor}`, which config.json does not account for,"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/models/llama");

    /// A copy of a whole checkpoint, to be damaged.
    fn copy() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in [CONFIG_FILE, "tokenizer.json", "model.safetensors"] {
            std::fs::copy(Path::new(FIXTURE).join(file), folder.path().join(file)).unwrap();
        }
        folder
    }

    /// What opening the checkpoint says after `damage` was done to its `file`.
    fn refusal(file: &str, damage: impl Fn(Vec<u8>) -> Vec<u8>) -> String {
        let folder = copy();
        let path = folder.path().join(file);
        std::fs::write(&path, damage(std::fs::read(&path).unwrap())).unwrap();
        Checkpoint::open_folder(folder.path()).unwrap_err().to_string()
    }

    fn replace(from: &'static str, to: &'static str) -> impl Fn(Vec<u8>) -> Vec<u8> {
        assert_eq!(from.len(), to.len(), "lengths in a weight file must stay");
        move |bytes| {
            let at = bytes.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
            [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
        }
    }

    #[test]
    fn damaged_weights_are_refused_with_file_and_tensor() {
        let weights = "model.safetensors";
        for (damage, expected) in [
            (refusal(weights, |bytes| bytes[..bytes.len() - 1].to_vec()), "damaged or incomplete"),
            (refusal(weights, |bytes| bytes[..100].to_vec()), "damaged or incomplete"),
            (refusal(weights, |_| vec![0xff; 64]), "damaged or incomplete"),
            (refusal(weights, |_| Vec::new()), "model.safetensors"),
            (refusal(weights, replace("[320,32]", "[32,320]")), "has shape [32, 320]"),
            (refusal(weights, replace("[64,32]", "[64,31]")), "damaged or incomplete"),
            (refusal(weights, replace("lm_head.weight", "lm_hood.weight")), "`lm_head.weight`"),
            (refusal(weights, replace("\"BF16\"", "\"I16\" ")), "of type I16"),
            (
                refusal(CONFIG_FILE, replace("\"hidden_size\": 32", "\"hidden_size\": 40")),
                "[320, 40]",
            ),
            (
                refusal(CONFIG_FILE, replace("\"vocab_size\": 320", "\"vocab_size\": 300")),
                "has id 319",
            ),
            (refusal(CONFIG_FILE, |bytes| bytes[..20].to_vec()), "not valid JSON"),
            (refusal("tokenizer.json", |bytes| bytes[..200].to_vec()), "not a tokenizer"),
            (
                refusal(
                    CONFIG_FILE,
                    replace("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1"),
                ),
                "config.json does not account for",
            ),
        ] {
            assert!(damage.contains(expected), "{damage:?} does not say {expected:?}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        for file in [CONFIG_FILE, "tokenizer.json", "model.safetensors"] {
            let folder = copy();
            std::fs::remove_file(folder.path().join(file)).unwrap();
            let message = Checkpoint::open_folder(folder.path()).unwrap_err().to_string();
            assert!(message.contains(file), "{message}");
        }
        let message = Checkpoint::open("nobody/no-such-model").unwrap_err().to_string();
        assert!(message.contains("hf download nobody/no-such-model"), "{message}");
    }

    #[test]
    fn shards_are_read_through_their_index() {
        let folder = copy();
        let place = |file: &str| folder.path().join(file);
        std::fs::rename(place("model.safetensors"), place("model-1.safetensors")).unwrap();
        let bytes = std::fs::read(place("model-1.safetensors")).unwrap();
        let names = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        let map: serde_json::Map<String, serde_json::Value> = names
            .names()
            .into_iter()
            .map(|name| (name.to_owned(), "model-1.safetensors".into()))
            .collect();
        let open = |map: &serde_json::Map<String, serde_json::Value>| {
            let index = serde_json::json!({ "weight_map": map });
            std::fs::write(place("model.safetensors.index.json"), index.to_string()).unwrap();
            Checkpoint::open_folder(folder.path()).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(open(&map), Ok(()));

        let mut missing = map.clone();
        missing.insert("x".to_owned(), "model-2.safetensors".into());
        assert!(open(&missing).unwrap_err().contains("model-2.safetensors"));
        let mut wrong = map.clone();
        wrong.insert("x".to_owned(), "model-1.safetensors".into());
        assert!(open(&wrong).unwrap_err().contains("`x` is not in"));
        let mut outside = map;
        outside.insert("x".to_owned(), "../model-1.safetensors".into());
        assert!(open(&outside).unwrap_err().contains("no valid file name"));
    }
}
