//! What can be wrong with sound, and with settings of sound.

/// Why there are no samples, or none that a processor takes.
///
/// Messages do not say which audio it was: whoever has its name says it in front.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AudioError {
    /// Nothing to decode.
    #[error("the audio has no bytes")]
    Empty,
    /// A longer file than is decoded.
    #[error(
        "the audio has {found_bytes} bytes, more than the {most_bytes} that are read; cut it into shorter files"
    )]
    TooManyBytes {
        /// What it has.
        found_bytes: usize,
        /// What is read.
        most_bytes: usize,
    },
    /// None of the formats.
    #[error("this is no audio in WAV or FLAC; convert it, as with `ffmpeg -i IN OUT.wav`")]
    UnknownFormat,
    /// More channels than are mixed.
    #[error(
        "the audio has {found} channels, and 1 or 2 are read; mix them, as with `ffmpeg -i IN -ac 1 OUT.wav`"
    )]
    Channels {
        /// What it has.
        found: usize,
    },
    /// A header and nothing behind it.
    #[error("the audio has no samples: it is 0 seconds long")]
    NoSamples,
    /// More samples than are decoded.
    #[error(
        "the audio has {found} samples, all channels counted, more than the {most} that are decoded; cut it into shorter files"
    )]
    TooManySamples {
        /// What it has, or what it had when decoding stopped.
        found: u64,
        /// What is decoded.
        most: usize,
    },
    /// A sample that no sound has.
    #[error("sample {place} of the audio is {value}, which is no sound; write the file again")]
    NotFinite {
        /// Its place, from 0, all channels counted.
        place: usize,
        /// NaN or an infinity.
        value: String,
    },
    /// The end of the file is missing.
    #[error(
        "the {format} audio is cut off: its end is missing; copy the file again, and write it to a file and not to a pipe"
    )]
    CutOff {
        /// The name of the format.
        format: &'static str,
    },
    /// Bytes that the format does not allow, or that are not understood.
    #[error(
        "the {format} audio cannot be decoded: {problem}; convert it, as with `ffmpeg -i IN -c:a pcm_s16le OUT.wav`"
    )]
    Broken {
        /// The name of the format.
        format: &'static str,
        /// What the decoder said.
        problem: String,
    },
    /// Another sampling rate than the model's.
    #[error(
        "the audio has {found_hz} samples a second, and this model takes {wanted_hz}; resample it, as with `ffmpeg -i IN -ar {wanted_hz} OUT.wav`"
    )]
    Rate {
        /// What it has.
        found_hz: u32,
        /// What the model takes.
        wanted_hz: u32,
    },
}

/// Why a checkpoint's settings make no [`super::AudioProcessor`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProcessorError {
    /// No file says anything.
    #[error(
        "the checkpoint says nothing of audio: there is no preprocessor_config.json, and no feature_extractor in processor_config.json; copy the files from where the weights are from"
    )]
    Missing,
    /// A field that cannot be read or done.
    #[error("{file}: {problem}")]
    Settings {
        /// The file, with the object in it.
        file: &'static str,
        /// The field, and what is wrong with it.
        problem: String,
    },
}
