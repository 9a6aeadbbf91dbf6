//! What a model makes of sound: rows of embeddings that stand in front of its decoder in the place of tokens.
//!
//! A family is a file: from a checkpoint's configs to what stands for a sound in a prompt (`AudioFamily::expansion`) and to its rows
//! (`AudioFamily::rows`). Features come from [`crate::audio`]; where rows stand in a sequence is the engine's.

mod audio_model;
mod convolution;
mod qwen2_audio;
mod registry;
mod voxtral;
mod whisper;

use std::fmt;

use candle_core::{Result, Tensor};
use serde_json::Value;

pub use self::audio_model::{AudioModel, HearingError};
use super::error::ModelError;
use super::families::Config;
use super::placeholders;
use super::weights::ParameterSource;
use crate::audio::{AudioProcessor, Longer, ProcessedAudio};

/// How the models of a family hear.
pub(super) trait AudioFamily: fmt::Debug + Send + Sync {
    /// What stands for a sound in a prompt that was rendered.
    fn placeholder(&self) -> &str;

    /// The token whose embedding is replaced, as text.
    fn audio_token(&self) -> &str {
        self.placeholder()
    }

    /// The id that the config has for that token.
    fn audio_token_id(&self) -> u32;

    /// What becomes of sound that is longer than the tower takes at once.
    fn longer(&self) -> Longer;

    /// What a placeholder becomes before the prompt is tokenized: as many audio tokens as the sound has rows, among the texts that the
    /// family puts there.
    ///
    /// # Errors
    /// The sound makes no row.
    fn expansion(&self, audio: &ProcessedAudio) -> Result<String>;

    /// A prompt that was rendered, with its placeholders expanded in order.
    ///
    /// # Errors
    /// It has not as many placeholders as there are sounds.
    fn expanded(&self, rendered: &str, audios: &[ProcessedAudio]) -> Result<String> {
        let count = (audios.len(), "audio");
        placeholders::filled(rendered, self.placeholder(), count, |place| {
            self.expansion(&audios[place])
        })
    }

    /// What somebody should know who reads what the model makes of this sound.
    fn remark(&self, audio: &ProcessedAudio) -> Option<String> {
        let samples = audio.cut_samples;
        (samples > 0).then(|| {
            format!(
                "the audio is longer than this model hears: its last {samples} samples are cut off"
            )
        })
    }

    /// The rows of a sound, `(tokens, hidden size)`, of which each is one audio token of its expansion.
    ///
    /// What a sound gives does not depend on others.
    fn rows(&self, audio: &ProcessedAudio) -> Result<Tensor>;
}

/// What says, beside the weights, how a model hears.
#[derive(Clone, Copy, Debug)]
pub(super) struct AudioSettings<'a> {
    /// The whole `config.json`.
    pub(super) config: &'a Config,
    /// What makes the features.
    pub(super) processor: &'a AudioProcessor,
    /// `processor_config.json`.
    pub(super) processor_config: Option<&'a Value>,
}

impl AudioSettings<'_> {
    /// The config of the tower.
    ///
    /// # Errors
    /// There is none.
    fn tower(&self) -> std::result::Result<Config, ModelError> {
        let tower = self.config.object("audio_config")?;
        tower.ok_or_else(|| self.config.expected("audio_config", "the config of the audio tower"))
    }

    /// The width of the decoder's stream, where the family's config class has a default.
    fn hidden_size(&self, default: usize) -> std::result::Result<usize, ModelError> {
        match self.config.object("text_config")? {
            Some(text) => text.count_or("hidden_size", default),
            None => Err(self.config.expected("text_config", "the config of the language model")),
        }
    }

    /// The id of a token.
    fn token_id(&self, field: &str, default: Option<u32>) -> std::result::Result<u32, ModelError> {
        let id = match self.config.get(field) {
            None => default,
            Some(id) => id.as_u64().and_then(|id| u32::try_from(id).ok()),
        };
        id.ok_or_else(|| self.config.expected(field, "the id of a token"))
    }
}

/// Loads what hears of a checkpoint; a family's file has one.
pub(super) type LoadAudio = fn(
    &dyn ParameterSource,
    AudioSettings<'_>,
) -> std::result::Result<Box<dyn AudioFamily>, ModelError>;
