//! Sound: bytes of a file → samples of one channel → the features that an audio tower takes.
//!
//! ```no_run
//! use surprisal::audio::{AudioProcessor, Longer, decode};
//!
//! let settings = serde_json::json!({"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 128});
//! let processor = AudioProcessor::parse(Some(&settings), None)?;
//! let sound = decode(&std::fs::read("bell.wav")?)?;
//! let processed = processor.process(&sound, Longer::Cut)?;
//! assert_eq!(processed.shape, [1, 128, 3000]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Samples are those that soundfile gives, and two channels become their mean, as in transformers' `load_audio`. Nothing is resampled:
//! a resampler changes numbers, and transformers' two have different ones. Features are those of `WhisperFeatureExtractor` in
//! transformers 5.23, in f64 on the way and so nearer to what is meant than its f32.
//!
//! It reads no file, and knows no model, no token and no tensor: a [`ProcessedAudio`] is a list of numbers and their shape.

mod decode;
mod error;
mod flac;
mod log_mel;
mod mel_filters;
mod processed;
mod processor;
mod settings;
mod sound;
mod wav;

pub use self::{
    decode::{MOST_AUDIO_BYTES, MOST_SAMPLES, decode},
    error::{AudioError, ProcessorError},
    processed::ProcessedAudio,
    processor::{AudioProcessor, Longer},
    sound::Sound,
};
