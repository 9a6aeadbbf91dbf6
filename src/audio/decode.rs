//! Bytes of a file → samples.
//!
//! What a file says of itself is not believed: samples are counted before they are decoded, a panic of a decoder is an error, and a file that
//! is cut off is one, too.

use super::{AudioError, Sound, flac, wav};
use crate::panic_guard::guarded;

/// Most bytes of an audio's file.
pub const MOST_AUDIO_BYTES: usize = 256 << 20;

/// Most samples of an audio, all channels counted: 70 minutes of one channel at 16 kHz, a quarter of a gigabyte.
pub const MOST_SAMPLES: usize = 1 << 26;

/// Decodes WAV (whole numbers of 8, 16, 24 or 32 bits, floats of 32) or FLAC, with one channel or two.
///
/// # Errors
/// [`AudioError`] where the bytes are no such audio, are cut off, or say that there are more than [`MOST_SAMPLES`].
pub fn decode(bytes: &[u8]) -> Result<Sound, AudioError> {
    if bytes.is_empty() {
        return Err(AudioError::Empty);
    }
    if bytes.len() > MOST_AUDIO_BYTES {
        let (found_bytes, most_bytes) = (bytes.len(), MOST_AUDIO_BYTES);
        return Err(AudioError::TooManyBytes { found_bytes, most_bytes });
    }
    let is_wav = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WAVE");
    let format = match bytes {
        _ if is_wav => "WAV",
        [b'f', b'L', b'a', b'C', ..] => "FLAC",
        _ => return Err(AudioError::UnknownFormat),
    };
    let problem = match guarded(|| if is_wav { wav::read(bytes) } else { flac::read(bytes) }) {
        Ok(Ok(sound)) => return Ok(sound),
        Ok(Err(Problem::Known(error))) => return Err(error),
        Ok(Err(Problem::CutOff)) => return Err(AudioError::CutOff { format }),
        Ok(Err(Problem::Words(problem))) | Err(problem) => problem,
    };
    Err(AudioError::Broken { format, problem })
}

/// Refuses what is not decoded for its size: so many samples of each channel.
pub(super) fn check(channels: usize, samples: u64) -> Result<(), AudioError> {
    if !(1..=2).contains(&channels) {
        return Err(AudioError::Channels { found: channels });
    }
    let found = samples.saturating_mul(channels as u64);
    if found > MOST_SAMPLES as u64 {
        return Err(AudioError::TooManySamples { found, most: MOST_SAMPLES });
    }
    Ok(())
}

/// What stopped a decoder.
pub(super) enum Problem {
    Known(AudioError),
    CutOff,
    Words(String),
}

impl From<AudioError> for Problem {
    fn from(error: AudioError) -> Self {
        Self::Known(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_audio_is_told_apart() {
        assert_eq!(decode(b""), Err(AudioError::Empty));
        for other in [&b"ID3\x04"[..], b"RIFF", b"RIFF\0\0\0\0AVI ", b"OggS", b"{}"] {
            assert_eq!(decode(other), Err(AudioError::UnknownFormat));
        }
        for (header, format) in [(&b"RIFF\0\0\0\0WAVE"[..], "WAV"), (b"fLaC", "FLAC")] {
            assert_eq!(decode(header), Err(AudioError::CutOff { format }));
        }
        let vast = check(2, u64::MAX).unwrap_err();
        assert!(matches!(vast, AudioError::TooManySamples { .. }), "{vast}");
        assert!(check(1, MOST_SAMPLES as u64).is_ok() && check(3, 1).is_err());
    }
}
