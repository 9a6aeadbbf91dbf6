//! What a checkpoint's settings say of sound, and features as they say.
//!
//! `preprocessor_config.json` names a class of transformers and its fields; since version 5 they stand in `processor_config.json`, under
//! `feature_extractor`, which counts first where both are there. A field that is left out has the class's default; one that is not known, or
//! cannot be done, is refused by its name.

use serde_json::Value;

use super::{
    AudioError, ProcessedAudio, ProcessorError, Sound, log_mel::LogMel, settings::Settings,
};

/// What becomes of sound that is longer than a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Longer {
    /// What is behind the first chunk has no say.
    Cut,
    /// It has as many chunks as it takes.
    Split,
}

/// Makes features for an audio tower of sound.
#[derive(Clone, Debug)]
pub struct AudioProcessor {
    rate_hz: u32,
    chunk_samples: usize,
    hop: usize,
    bins: usize,
    /// What the last chunk is filled up with.
    silence: f32,
    log_mel: LogMel,
}

impl AudioProcessor {
    /// Reads the two files of a checkpoint, of which one may be missing.
    ///
    /// # Errors
    /// [`ProcessorError`] where neither speaks of audio, or says what is not known here.
    pub fn parse(
        preprocessor_config: Option<&Value>,
        processor_config: Option<&Value>,
    ) -> Result<Self, ProcessorError> {
        let nested = processor_config.and_then(|config| config.get("feature_extractor"));
        let settings = match (nested, preprocessor_config) {
            (Some(nested), _) => {
                Settings::read("processor_config.json, `feature_extractor`", nested)?
            }
            (None, Some(config)) => Settings::read("preprocessor_config.json", config)?,
            (None, None) => return Err(ProcessorError::Missing),
        };
        let Settings { feature_size: bins, hop_length: hop, sampling_rate: rate_hz, .. } = settings;
        Ok(Self {
            rate_hz,
            chunk_samples: settings.chunk_samples(),
            hop,
            bins,
            silence: settings.padding_value,
            log_mel: LogMel::new(settings.n_fft, hop, bins, rate_hz),
        })
    }

    /// Samples of a second that it takes.
    pub fn rate_hz(&self) -> u32 {
        self.rate_hz
    }

    /// Features of a frame.
    pub fn bins(&self) -> usize {
        self.bins
    }

    /// Frames of a chunk.
    pub fn frames(&self) -> usize {
        self.chunk_samples / self.hop
    }

    /// Samples from a frame to the next.
    pub fn hop(&self) -> usize {
        self.hop
    }

    /// The features of a sound, of each chunk by itself: no frame reaches across its ends, and what is loud in one is not loud in another.
    ///
    /// # Errors
    /// [`AudioError::Rate`] where it has another sampling rate than the model's.
    pub fn process(&self, sound: &Sound, longer: Longer) -> Result<ProcessedAudio, AudioError> {
        if sound.rate_hz() != self.rate_hz {
            let (found_hz, wanted_hz) = (sound.rate_hz(), self.rate_hz);
            return Err(AudioError::Rate { found_hz, wanted_hz });
        }
        let samples = sound.samples();
        let heard = match longer {
            Longer::Cut => &samples[..samples.len().min(self.chunk_samples)],
            Longer::Split => samples,
        };
        let chunks = heard.len().div_ceil(self.chunk_samples);
        let mut values = Vec::with_capacity(chunks * self.bins * self.frames());
        for chunk in heard.chunks(self.chunk_samples) {
            let mut filled = chunk.to_vec();
            filled.resize(self.chunk_samples, self.silence);
            let features = self.log_mel.features(&filled);
            for bin in 0..self.bins {
                values.extend(features.iter().skip(bin).step_by(self.bins));
            }
        }
        Ok(ProcessedAudio {
            values,
            shape: [chunks, self.bins, self.frames()],
            heard_frames: heard.len().div_ceil(self.hop),
            cut_samples: samples.len() - heard.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(mut fields: Value) -> Result<AudioProcessor, String> {
        fields["feature_extractor_type"] = json!("WhisperFeatureExtractor");
        AudioProcessor::parse(Some(&fields), None).map_err(|error| error.to_string())
    }

    #[test]
    fn fields_that_are_left_out_are_as_in_the_class() {
        let processor = parsed(json!({})).unwrap();
        assert_eq!((processor.bins(), processor.frames(), processor.rate_hz), (80, 3000, 16_000));
        let nested = json!({"feature_extractor": {
            "feature_extractor_type": "WhisperFeatureExtractor", "chunk_length": 2
        }});
        let processor = AudioProcessor::parse(Some(&json!({"x": 1})), Some(&nested)).unwrap();
        assert_eq!(processor.frames(), 200);
        assert_eq!(AudioProcessor::parse(None, None).unwrap_err(), ProcessorError::Missing);
    }

    #[test]
    fn what_is_not_known_is_refused_by_its_field() {
        for (fields, wanted) in [
            (json!({"loudness": 1}), "unknown field `loudness`"),
            (json!({"hop_length": null}), "invalid type: null"),
            (json!({"hop_length": 0}), "`hop_length` makes 0"),
            (json!({"hop_length": 7}), "does not divide a chunk"),
            (json!({"chunk_length": 1_000_000_000}), "`chunk_length` makes"),
            (json!({"n_fft": 0}), "`n_fft` makes 0"),
            (json!({"n_fft": 401}), "`n_fft` is 401, and only even"),
            (json!({"chunk_length": 1, "sampling_rate": 160}), "more than twice a chunk"),
            (json!({"sampling_rate": 0}), "`sampling_rate` makes 0"),
            (json!({"feature_size": 1_000_000}), "`feature_size` makes 1000000"),
            (json!({"dither": 1e-4}), "`dither` is 0.0001"),
            (json!({"padding_side": "left"}), "`padding_side` is left"),
            (json!({"n_samples": 5}), "`n_samples` is 5, and the other fields make 480000"),
        ] {
            let problem = parsed(fields).unwrap_err();
            assert!(problem.contains(wanted), "{problem}");
        }
        let other = json!({"feature_extractor_type": "ClapFeatureExtractor"});
        let error = AudioProcessor::parse(Some(&other), None).unwrap_err().to_string();
        assert!(error.contains("ClapFeatureExtractor; only"), "{error}");
        assert!(AudioProcessor::parse(Some(&json!([])), None).is_err());
    }

    #[test]
    fn longer_sound_is_cut_or_split() {
        let processor = parsed(json!({"chunk_length": 1, "feature_size": 4})).unwrap();
        let sound = Sound::new(vec![0.5; 16_001], 1, 16_000).unwrap();
        let cut = processor.process(&sound, Longer::Cut).unwrap();
        assert_eq!((cut.shape, cut.heard_frames, cut.cut_samples), ([1, 4, 100], 100, 1));
        let split = processor.process(&sound, Longer::Split).unwrap();
        assert_eq!((split.shape, split.heard_frames, split.cut_samples), ([2, 4, 100], 101, 0));
        assert_eq!(split.values[..400], cut.values);
        let short = Sound::new(vec![0.5], 1, 16_000).unwrap();
        let short = processor.process(&short, Longer::Split).unwrap();
        assert_eq!((short.shape, short.heard_frames), ([1, 4, 100], 1));
    }

    #[test]
    fn another_sampling_rate_is_refused_with_what_to_do() {
        let processor = parsed(json!({})).unwrap();
        let sound = Sound::new(vec![0.5; 100], 1, 44_100).unwrap();
        let error = processor.process(&sound, Longer::Cut).unwrap_err().to_string();
        assert!(error.contains("44100") && error.contains("-ar 16000"), "{error}");
    }
}
