//! Fields of `WhisperFeatureExtractor`, each of which is read or refused.

use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use super::{MOST_SAMPLES, ProcessorError};

/// The class that is known.
const CLASS: &str = "WhisperFeatureExtractor";

/// Most samples of a frame.
const MOST_FRAME: usize = 1 << 16;

/// Most bins of a frame.
const MOST_BINS: usize = 1 << 12;

/// Highest sampling rate, in Hz.
const MOST_RATE: u32 = 1 << 20;

/// The fields, under their names; what is left out is as in the class.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Settings {
    feature_extractor_type: Option<String>,
    pub(super) feature_size: usize,
    pub(super) sampling_rate: u32,
    pub(super) hop_length: usize,
    chunk_length: usize,
    pub(super) n_fft: usize,
    pub(super) padding_value: f32,
    padding_side: String,
    dither: f64,
    /// The class computes it from the other fields.
    n_samples: Option<usize>,
    /// So, too.
    nb_max_frames: Option<usize>,
    /// So, too; old files hold all of the filters.
    #[serde(rename = "mel_filters")]
    _mel_filters: IgnoredAny,
    /// These say how transformers is called, and change no number.
    #[serde(rename = "_valid_processor_keys")]
    _valid_processor_keys: IgnoredAny,
    #[serde(rename = "auto_map")]
    _auto_map: IgnoredAny,
    #[serde(rename = "processor_class")]
    _processor_class: IgnoredAny,
    #[serde(rename = "return_attention_mask")]
    _return_attention_mask: IgnoredAny,
    #[serde(rename = "transformers_version")]
    _transformers_version: IgnoredAny,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            feature_extractor_type: None,
            feature_size: 80,
            sampling_rate: 16_000,
            hop_length: 160,
            chunk_length: 30,
            n_fft: 400,
            padding_value: 0.0,
            padding_side: "right".to_owned(),
            dither: 0.0,
            n_samples: None,
            nb_max_frames: None,
            _mel_filters: IgnoredAny,
            _valid_processor_keys: IgnoredAny,
            _auto_map: IgnoredAny,
            _processor_class: IgnoredAny,
            _return_attention_mask: IgnoredAny,
            _transformers_version: IgnoredAny,
        }
    }
}

impl Settings {
    /// Reads an object of `file`.
    pub(super) fn read(file: &'static str, value: &Value) -> Result<Self, ProcessorError> {
        let settings = Self::deserialize(value).map_err(|error| error.to_string());
        settings
            .and_then(|settings| settings.check().map(|()| settings))
            .map_err(|problem| ProcessorError::Settings { file, problem })
    }

    /// Samples of a chunk.
    pub(super) fn chunk_samples(&self) -> usize {
        self.chunk_length.saturating_mul(self.sampling_rate as usize)
    }

    /// What is wrong with the fields, in words.
    fn check(&self) -> Result<(), String> {
        match self.feature_extractor_type.as_deref() {
            Some(CLASS) => {}
            None => return Err(format!("`feature_extractor_type` is missing; {CLASS} is known")),
            Some(class) => {
                return Err(format!("`feature_extractor_type` is {class}; only {CLASS} is known"));
            }
        }
        let chunk = self.chunk_samples();
        for (field, found, most) in [
            ("feature_size", self.feature_size, MOST_BINS),
            ("sampling_rate", self.sampling_rate as usize, MOST_RATE as usize),
            ("n_fft", self.n_fft, MOST_FRAME),
            ("hop_length", self.hop_length, chunk),
            ("chunk_length", chunk, MOST_SAMPLES),
        ] {
            if found == 0 || found > most {
                return Err(format!("`{field}` makes {found}, and should make 1 to {most}"));
            }
        }
        if self.padding_side != "right" {
            return Err(format!("`padding_side` is {}; only right is known", self.padding_side));
        }
        if self.dither != 0.0 {
            return Err(format!(
                "`dither` is {}; noise of random numbers is not made, so it must be 0",
                self.dither
            ));
        }
        if !self.padding_value.is_finite() {
            return Err("`padding_value` is no number".to_owned());
        }
        if !chunk.is_multiple_of(self.hop_length) {
            return Err(format!(
                "`hop_length` is {}, which does not divide a chunk of {chunk} samples",
                self.hop_length
            ));
        }
        if !self.n_fft.is_multiple_of(2) {
            return Err(format!("`n_fft` is {}, and only even numbers are known", self.n_fft));
        }
        if chunk <= self.n_fft / 2 {
            return Err(format!("`n_fft` is {}, more than twice a chunk", self.n_fft));
        }
        let frames = chunk / self.hop_length;
        for (field, found, computed) in
            [("n_samples", self.n_samples, chunk), ("nb_max_frames", self.nb_max_frames, frames)]
        {
            if let Some(found) = found
                && found != computed
            {
                return Err(format!("`{field}` is {found}, and the other fields make {computed}"));
            }
        }
        Ok(())
    }
}
