//! Qwen2-Audio: Whisper's encoder, of which two rows become one before the last norm.
//!
//! Silence behind the end of a sound is not attended to and has no rows. Sound of more than a chunk is cut.

use candle_core::{Result, Tensor};
use serde_json::Value;

use super::whisper::{ROW_FRAMES, Whisper};
use super::{AudioFamily, AudioSettings};
use crate::audio::{Longer, ProcessedAudio};
use crate::model::error::ModelError;
use crate::model::projection::Projection;
use crate::model::vision::prefix;
use crate::model::weights::ParameterSource;

/// Rows of the encoder whose mean is a token.
const TOKEN_ROWS: usize = 2;

/// What the class has for a checkpoint that does not name the token.
const AUDIO_TOKEN: &str = "<|AUDIO|>";

/// What the class has for its id.
const AUDIO_TOKEN_ID: u32 = 151_646;

#[derive(Debug)]
struct Qwen2Audio {
    tower: Whisper,
    projector: Projection,
    audio_token: String,
    audio_token_id: u32,
}

/// Loads tower and projector.
pub(super) fn load(
    source: &dyn ParameterSource,
    settings: AudioSettings<'_>,
) -> std::result::Result<Box<dyn AudioFamily>, ModelError> {
    settings.tower()?.only_text("model_type", "qwen2_audio_encoder")?;
    let tower_prefix = prefix(source, &["model.audio_tower.", "audio_tower."], "conv1.weight");
    let tower = Whisper::load(source, tower_prefix, settings)?;
    let projector = ["model.multi_modal_projector.", "multi_modal_projector."];
    let projector = prefix(source, &projector, "linear.weight");
    let projector = Projection::load(
        source,
        &format!("{projector}linear"),
        tower.hidden_size(),
        settings.hidden_size(4096)?,
        true,
    )?;
    // Two names of one field.
    let id_field = match settings.config.get("audio_token_index") {
        None if settings.config.get("audio_token_id").is_some() => "audio_token_id",
        _ => "audio_token_index",
    };
    Ok(Box::new(Qwen2Audio {
        tower,
        projector,
        audio_token: audio_token(settings)?,
        audio_token_id: settings.token_id(id_field, Some(AUDIO_TOKEN_ID))?,
    }))
}

/// The token as text.
fn audio_token(settings: AudioSettings<'_>) -> std::result::Result<String, ModelError> {
    match settings.processor_config.and_then(|config| config.get("audio_token")) {
        None => Ok(AUDIO_TOKEN.to_owned()),
        Some(Value::String(token)) if !token.is_empty() => Ok(token.clone()),
        Some(other) => Err(ModelError::Config {
            path: "processor_config.json".into(),
            problem: format!("`audio_token` should be a token, found {other}"),
        }),
    }
}

impl Qwen2Audio {
    /// Tokens of a sound.
    fn tokens(audio: &ProcessedAudio) -> Result<usize> {
        let tokens = audio.heard_frames.div_ceil(ROW_FRAMES) / TOKEN_ROWS;
        if tokens == 0 {
            candle_core::bail!(
                "the audio is too short for this model: it has {} frames, and {} make a token",
                audio.heard_frames,
                ROW_FRAMES + 1
            )
        }
        Ok(tokens)
    }
}

impl AudioFamily for Qwen2Audio {
    fn placeholder(&self) -> &str {
        &self.audio_token
    }

    fn audio_token_id(&self) -> u32 {
        self.audio_token_id
    }

    fn longer(&self) -> Longer {
        Longer::Cut
    }

    fn expansion(&self, audio: &ProcessedAudio) -> Result<String> {
        Ok(self.audio_token.repeat(Self::tokens(audio)?))
    }

    fn rows(&self, audio: &ProcessedAudio) -> Result<Tensor> {
        let tokens = Self::tokens(audio)?;
        let heard = audio.heard_frames.div_ceil(ROW_FRAMES);
        let stream = self.tower.forward(audio, 0, heard)?.narrow(0, 0, tokens * TOKEN_ROWS)?;
        let pairs = stream.reshape((tokens, TOKEN_ROWS, self.tower.hidden_size()))?;
        self.projector.forward(&self.tower.normed(&pairs.mean(1)?)?, None)
    }
}
