//! What a checkpoint hears with: its processor of sound and its tower.

use std::cell::Cell;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use serde_json::Value;
use thiserror::Error;

use super::{AudioFamily, AudioSettings, LoadAudio, registry};
use crate::audio::{AudioError, AudioProcessor, ProcessedAudio, ProcessorError, Sound};
use crate::model::checkpoint::{CONFIG_FILE, read_config};
use crate::model::error::ModelError;
use crate::model::families::Config;
use crate::model::json;
use crate::model::tokenizer::Tokenizer;
use crate::model::weights::{HeaderCheck, Loader, WeightFiles};
use crate::ops::linear::Activations;

/// Why a checkpoint does not hear, or not this sound.
#[derive(Debug, Error)]
pub enum HearingError {
    /// The checkpoint's files.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The settings of its processor of sound.
    #[error(transparent)]
    Processor(#[from] ProcessorError),
    /// The sound.
    #[error(transparent)]
    Audio(#[from] AudioError),
    /// Prompt and sounds do not fit each other, or a tensor operation failed.
    #[error("{0}")]
    Tensor(String),
    /// The model has no tower that is known.
    #[error(
        "a model of the type `{model_type}` hears no audio; leave it out, or choose a model that does"
    )]
    Deaf {
        /// The `model_type` of its config.
        model_type: String,
    },
    /// Config and tokenizer are of different checkpoints.
    #[error(
        "the tokenizer has {} for `{token}`, and config.json has {config_id} for audio; copy both from where the weights are from",
        tokenizer_id.map_or_else(|| "no id".to_owned(), |id| format!("the id {id}"))
    )]
    Token {
        /// The audio token.
        token: String,
        /// The tokenizer's id.
        tokenizer_id: Option<u32>,
        /// The config's.
        config_id: u32,
    },
}

impl From<candle_core::Error> for HearingError {
    fn from(error: candle_core::Error) -> Self {
        // With RUST_BACKTRACE set, candle's messages go on for pages.
        Self::Tensor(error.to_string().lines().next().unwrap_or_default().to_owned())
    }
}

/// Gives a family's file what it loads from.
type LoadFrom<'a> = dyn Fn(LoadAudio, &WeightFiles, AudioSettings<'_>) -> Result<Box<dyn AudioFamily>, ModelError>
    + 'a;

/// What a checkpoint hears with, in memory.
#[derive(Debug)]
pub struct AudioModel {
    processor: AudioProcessor,
    family: Box<dyn AudioFamily>,
}

impl AudioModel {
    /// Loads it from a checkpoint's folder onto `device`, to compute in `dtype`: on the CPU always f32.
    ///
    /// # Errors
    /// The model is [`HearingError::Deaf`], or its files are incomplete.
    pub fn load(folder: &Path, device: &Device, dtype: DType) -> Result<Self, HearingError> {
        let dtype = if device.is_cpu() { DType::F32 } else { dtype };
        Self::load_from(folder, &|load, files, settings| {
            load(&Loader { files, device, dtype, activations: Activations::Exact }, settings)
        })
    }

    /// One that expands prompts and makes no row, of the headers of the weights.
    pub(in crate::model) fn from_headers(folder: &Path) -> Result<(Self, usize), HearingError> {
        let bytes = Cell::new(0);
        let own = Self::load_from(folder, &|load, files, settings| {
            let headers = HeaderCheck::new(files);
            let family = load(&headers, settings);
            bytes.set(headers.model_bytes().sum());
            family
        })?;
        Ok((own, bytes.get()))
    }

    fn load_from(folder: &Path, family: &LoadFrom<'_>) -> Result<Self, HearingError> {
        let config = Config::new(&folder.join(CONFIG_FILE), read_config(folder)?)?;
        let model_type = config.text("model_type")?.unwrap_or_default();
        let Some(load) = registry::loader(model_type) else {
            return Err(HearingError::Deaf { model_type: model_type.to_owned() });
        };
        let settings = |name: &str| -> Result<Option<Value>, ModelError> {
            let path = folder.join(name);
            if path.exists() { json::read(&path).map(Some) } else { Ok(None) }
        };
        let processor_config = settings("processor_config.json")?;
        let processor = AudioProcessor::parse(
            settings("preprocessor_config.json")?.as_ref(),
            processor_config.as_ref(),
        )?;
        let files = WeightFiles::open(folder)?;
        let settings = AudioSettings {
            config: &config,
            processor: &processor,
            processor_config: processor_config.as_ref(),
        };
        let family = family(load, &files, settings)?;
        Ok(Self { processor, family })
    }

    /// Samples of a second that it hears.
    pub fn rate_hz(&self) -> u32 {
        self.processor.rate_hz()
    }

    /// A sound as the tower takes it; [`Self::remark`] says what is to be told of it.
    pub fn processed(&self, sound: &Sound) -> Result<ProcessedAudio, HearingError> {
        Ok(self.processor.process(sound, self.family.longer())?)
    }

    /// What is to be told to whoever reads what the model makes of this sound, if there is anything: that its end is cut off, or that
    /// numbers may not be those of transformers.
    pub fn remark(&self, audio: &ProcessedAudio) -> Option<String> {
        self.family.remark(audio)
    }

    /// A prompt that was rendered, with as many audio tokens for every sound as it has rows.
    pub fn expanded(
        &self,
        rendered: &str,
        audios: &[ProcessedAudio],
    ) -> Result<String, HearingError> {
        Ok(self.family.expanded(rendered, audios)?)
    }

    /// What takes the place of a placeholder: as many audio tokens as the sound has rows, among what the family puts there.
    pub(in crate::model) fn expansion(
        &self,
        audio: &ProcessedAudio,
    ) -> Result<String, HearingError> {
        Ok(self.family.expansion(audio)?)
    }

    /// What stands for a sound in a prompt before it is expanded.
    pub fn placeholder(&self) -> &str {
        self.family.placeholder()
    }

    /// The id of the token in whose places rows stand.
    ///
    /// # Errors
    /// [`HearingError::Token`] where the config has another one.
    pub fn audio_id(&self, tokenizer: &Tokenizer) -> Result<u32, HearingError> {
        let (token, config_id) = (self.family.audio_token(), self.family.audio_token_id());
        let tokenizer_id = tokenizer.token_id(token);
        if tokenizer_id == Some(config_id) {
            return Ok(config_id);
        }
        Err(HearingError::Token { token: token.to_owned(), tokenizer_id, config_id })
    }

    /// The rows of a sound, `(tokens, hidden size)`, one for each of its tokens.
    pub fn rows(&self, audio: &ProcessedAudio) -> Result<Tensor, HearingError> {
        Ok(self.family.rows(audio)?)
    }
}
