//! Voxtral: Whisper's encoder, of which rows side by side become a token.
//!
//! Sound of more than a chunk has several, and silence that fills up the last one has rows as sound has. Features of a chunk are computed
//! by itself, as the goldens are; transformers' `VoxtralProcessor` computes those of all chunks at once, which gives others where there are
//! several, and so this is told. A prompt comes from mistral-common and not from a template: `[BEGIN_AUDIO]` stands before the audio tokens
//! of each sound.

use candle_core::{Result, Tensor};

use super::whisper::Whisper;
use super::{AudioFamily, AudioSettings};
use crate::audio::{Longer, ProcessedAudio};
use crate::model::error::ModelError;
use crate::model::families::named_activation;
use crate::model::projection::Projection;
use crate::model::vision::prefix;
use crate::model::weights::ParameterSource;
use crate::ops::activation::Activation;

const BEGIN: &str = "[BEGIN_AUDIO]";

const AUDIO_TOKEN: &str = "[AUDIO]";

/// A sound in a prompt that is not expanded.
const PLACEHOLDER: &str = "[BEGIN_AUDIO][AUDIO]";

#[derive(Debug)]
struct Voxtral {
    tower: Whisper,
    first: Projection,
    activation: Activation,
    second: Projection,
    /// Tokens of a chunk.
    chunk_tokens: usize,
    audio_token_id: u32,
}

/// Loads tower and projector.
pub(super) fn load(
    source: &dyn ParameterSource,
    settings: AudioSettings<'_>,
) -> std::result::Result<Box<dyn AudioFamily>, ModelError> {
    settings.tower()?.only_text("model_type", "voxtral_encoder")?;
    let tower_prefix = prefix(source, &["model.audio_tower.", "audio_tower."], "conv1.weight");
    let tower = Whisper::load(source, tower_prefix, settings)?;
    let (chunk_numbers, token_numbers) =
        (tower.chunk_rows()? * tower.hidden_size(), tower.inner_size());
    if !token_numbers.is_multiple_of(tower.hidden_size())
        || !chunk_numbers.is_multiple_of(token_numbers)
    {
        let what = "a multiple of the hidden size that divides the numbers of a chunk";
        return Err(settings.tower()?.expected("intermediate_size", what));
    }
    let config = settings.config;
    let hidden_size = settings.hidden_size(3072)?;
    let projector = ["model.multi_modal_projector.", "multi_modal_projector."];
    let projector = prefix(source, &projector, "linear_1.weight");
    let map = |name: &str, input_size| {
        Projection::load(source, &format!("{projector}{name}"), input_size, hidden_size, false)
    };
    Ok(Box::new(Voxtral {
        first: map("linear_1", token_numbers)?,
        activation: match config.text("projector_hidden_act")? {
            None => Activation::Gelu,
            Some(name) => {
                named_activation(name).ok_or_else(|| config.unsupported("projector_hidden_act"))?
            }
        },
        second: map("linear_2", hidden_size)?,
        chunk_tokens: chunk_numbers / token_numbers,
        audio_token_id: settings.token_id("audio_token_id", None)?,
        tower,
    }))
}

impl AudioFamily for Voxtral {
    fn placeholder(&self) -> &'static str {
        PLACEHOLDER
    }

    fn audio_token(&self) -> &'static str {
        AUDIO_TOKEN
    }

    fn audio_token_id(&self) -> u32 {
        self.audio_token_id
    }

    fn longer(&self) -> Longer {
        Longer::Split
    }

    fn expansion(&self, audio: &ProcessedAudio) -> Result<String> {
        let [chunks, ..] = audio.shape;
        Ok(BEGIN.to_owned() + &AUDIO_TOKEN.repeat(chunks * self.chunk_tokens))
    }

    fn remark(&self, audio: &ProcessedAudio) -> Option<String> {
        let [chunks, ..] = audio.shape;
        (chunks > 1).then(|| {
            format!(
                "the audio has {chunks} chunks, whose features are computed one by one; transformers' VoxtralProcessor computes them at \
                 once, so that its numbers differ; shorter audio has one"
            )
        })
    }

    fn rows(&self, audio: &ProcessedAudio) -> Result<Tensor> {
        let [chunks, ..] = audio.shape;
        let rows = (0..chunks)
            .map(|chunk| {
                let stream = self.tower.forward(audio, chunk, self.tower.chunk_rows()?)?;
                let stream = self.tower.normed(&stream)?;
                let side_by_side = stream.reshape((self.chunk_tokens, self.tower.inner_size()))?;
                let inner = self.first.activated(&side_by_side, self.activation)?;
                self.second.forward(&inner, None)
            })
            .collect::<Result<Vec<_>>>()?;
        Tensor::cat(&rows, 0)
    }
}
