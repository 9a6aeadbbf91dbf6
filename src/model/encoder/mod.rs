//! Sentence encoders: a text becomes one vector.
//!
//! [`EncoderCheckpoint::open`] reads and checks a folder in the layout of sentence-transformers: a transformer, how
//! its outputs become one vector (`pooling`), and what follows (dense layers, normalisation), all as `modules.json`
//! and the files beside it say. [`EncoderCheckpoint::load`] reads the weights. Encoders that see both ways are in
//! `bert` and `modern_bert`, written on the decoder's own operations; those that are language models, such as
//! Qwen3-Embedding, are computed by the decoder.
//!
//! Texts are packed one after another without padding, and every operation computes a row by itself, so a text's
//! vector has the same bits whatever is embedded beside it. That is why vectors can be kept by their text.

mod bert;
mod dense;
mod modern_bert;
mod modules;
mod network;
mod pooling;
mod settings;

use std::path::{Path, PathBuf};

use self::{
    modules::{Module, Modules},
    network::{CheckedNetwork, Network},
    pooling::PooledText,
    settings::{Prompts, TextSettings},
};
use super::{Checkpoint, LocalFiles, ModelError, Tokenizer};
use crate::hub::{CheckpointPart, DownloadProgress};
use crate::ops::host;

/// The organisation on the hub that names without one belong to.
const ORGANISATION: &str = "sentence-transformers";

/// Raised whenever the same checkpoint gives other bits for the same text: vectors that were kept before are then
/// computed again.
pub const ENCODER_NUMERICS: u32 = 2;

/// Rows of a pass; more texts than fit are computed one pass after another.
const PASS_ROWS: usize = 2048;

/// A checked encoder, ready to be loaded.
#[derive(Debug)]
pub struct EncoderCheckpoint {
    files: LocalFiles,
    modules: Modules,
    network: CheckedNetwork,
    tokenizer: Tokenizer,
    text: TextSettings,
    prompts: Prompts,
}

/// An encoder in memory.
#[derive(Debug)]
pub struct SentenceEncoder<'a> {
    checkpoint: &'a EncoderCheckpoint,
    network: Network,
    stages: Vec<dense::LoadedStage>,
}

impl EncoderCheckpoint {
    /// Opens the encoder in a folder, or of that name on the hub, from which it is fetched unless it is in the local
    /// cache. A name without an organisation is one of sentence-transformers'.
    pub fn open(name: &str, progress: &dyn DownloadProgress) -> Result<Self, ModelError> {
        let is_bare = !name.contains('/') && !Path::new(name).exists();
        let full = if is_bare { format!("{ORGANISATION}/{name}") } else { name.to_owned() };
        let folder = Checkpoint::locate(&full, CheckpointPart::Encoder, progress)?;
        Self::open_folder(&folder)
    }

    /// Opens the encoder in a folder.
    pub fn open_folder(folder: &Path) -> Result<Self, ModelError> {
        let files = LocalFiles::of(folder).filter(|_| folder.is_dir()).ok_or_else(|| {
            ModelError::Unsupported {
                path: folder.to_owned(),
                what: "a sentence encoder that is no folder of its own, such as a GGUF file or an adapter,"
                    .to_owned(),
            }
        })?;
        let modules = Modules::read(folder)?;
        let place = modules.transformer.as_path();
        let tokenizer = Tokenizer::read(place)?;
        let network = CheckedNetwork::open(place, &tokenizer)?;
        let text = TextSettings::read(place, &tokenizer, &network)?;
        modules.check(network.hidden_size())?;
        Ok(Self { files, modules, network, tokenizer, text, prompts: Prompts::read(folder)? })
    }

    /// Every file that its vectors can depend on.
    pub fn files(&self) -> &[PathBuf] {
        self.files.paths()
    }

    /// What people should know about it.
    pub fn notes(&self) -> &[String] {
        &self.modules.notes
    }

    /// The text that is put before every other one, if the checkpoint says so.
    pub fn default_prompt(&self) -> Option<&str> {
        self.prompts.default_prompt()
    }

    /// The prompt of a name.
    pub fn prompt(&self, name: &str) -> Option<&str> {
        self.prompts.get(name)
    }

    /// The ids that a text becomes behind a prompt.
    pub fn encode(&self, text: &str, prompt: &str) -> Result<Vec<u32>, ModelError> {
        let mut whole = format!("{prompt}{text}");
        if self.text.lower_case {
            whole = whole.to_lowercase();
        }
        let side = self.tokenizer.settings().truncation_side;
        let ids = self.tokenizer.encode_truncated(&whole, true, self.text.most_tokens, side)?;
        if ids.is_empty() {
            return Err(ModelError::Tokenizer {
                path: self.modules.transformer.clone(),
                problem: format!("the text {text:?} has no token, so it has no vector"),
            });
        }
        Ok(ids)
    }

    /// The ids that belong to a prompt where its tokens are left out of the pooled ones.
    fn prompt_tokens(&self, prompt: &str) -> Result<usize, ModelError> {
        if prompt.is_empty() {
            return Ok(0);
        }
        let ids = self.encode("", prompt)?;
        // What closes a sequence does not stand between a prompt and its text.
        let closes = ids.last().is_some_and(|last| self.tokenizer.is_special(*last));
        Ok(ids.len() - usize::from(closes))
    }

    /// Reads the weights into host memory, to compute in f32.
    pub fn load(&self) -> Result<SentenceEncoder<'_>, ModelError> {
        let stages = self.modules.stages.iter().map(Module::load).collect::<Result<_, _>>()?;
        let network = self.network.load()?;
        Ok(SentenceEncoder { checkpoint: self, network, stages })
    }
}

impl SentenceEncoder<'_> {
    /// A vector for each text behind `prompt`. `done` hears of every text.
    pub fn embed(
        &self,
        texts: &[&str],
        prompt: &str,
        done: &dyn Fn(usize),
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let checkpoint = self.checkpoint;
        let skipped_tokens = if checkpoint.modules.pooling.include_prompt {
            0
        } else {
            checkpoint.prompt_tokens(prompt)?
        };
        let mut encoded = Vec::with_capacity(texts.len());
        for (place, text) in texts.iter().enumerate() {
            encoded.push((place, checkpoint.encode(text, prompt)?));
        }
        // Texts of a length share a pass, so that one that is stopped has short ones first.
        encoded.sort_by_key(|(_, ids)| ids.len());
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut rest = encoded.as_slice();
        while !rest.is_empty() {
            let (pass, later) = rest.split_at(pass_texts(rest));
            let ids: Vec<&[u32]> = pass.iter().map(|(_, ids)| ids.as_slice()).collect();
            for ((place, _), vector) in pass.iter().zip(self.pass(&ids, skipped_tokens)?) {
                vectors[*place] = vector;
            }
            done(pass.len());
            rest = later;
        }
        Ok(vectors)
    }

    /// The vectors of a few texts.
    fn pass(&self, texts: &[&[u32]], skipped_tokens: usize) -> Result<Vec<Vec<f32>>, ModelError> {
        let hidden = self.network.hidden(texts)?;
        let size = self.checkpoint.network.hidden_size();
        let pooling = &self.checkpoint.modules.pooling;
        let pooled = host::read(&hidden, |numbers| {
            let mut first = 0;
            let mut pooled = Vec::with_capacity(texts.len());
            for ids in texts {
                let rows = &numbers[first * size..(first + ids.len()) * size];
                first += ids.len();
                pooled.push(pooling.pool(&PooledText { rows, size, skipped_tokens }));
            }
            pooled
        })?;
        let finished = |vector: Vec<f32>| -> Result<Vec<f32>, ModelError> {
            let vector =
                self.stages.iter().try_fold(vector, |vector, stage| stage.apply(vector))?;
            if vector.iter().all(|number| number.is_finite()) {
                return Ok(vector);
            }
            Err(ModelError::Weights {
                path: self.checkpoint.modules.transformer.clone(),
                problem: "a vector has numbers that are not finite".to_owned(),
            })
        };
        pooled.into_iter().map(finished).collect()
    }
}

/// How many of the first texts fit a pass; at least one.
fn pass_texts(texts: &[(usize, Vec<u32>)]) -> usize {
    let mut rows = 0;
    let fitting = texts.iter().take_while(|(_, ids)| {
        rows += ids.len();
        rows <= PASS_ROWS
    });
    fitting.count().max(1)
}
