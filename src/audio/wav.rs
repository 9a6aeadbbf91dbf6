//! WAV: chunks are found here, and what is in them is read by `hound`.
//!
//! `hound` finds chunks too, but trips over one of an odd length, and does not tell a file that is cut off from one that is broken.

use std::io::Read;

use hound::{SampleFormat, WavReader};

use super::{
    Sound,
    decode::{Problem, check},
};

/// Bytes before the first chunk.
const HEADER_BYTES: usize = 12;

/// Bytes of a chunk's name and length.
const CHUNK_HEADER_BYTES: usize = 8;

/// Reads a file that begins as one.
pub(super) fn read(bytes: &[u8]) -> Result<Sound, Problem> {
    let (header, chunks) = bytes.split_at_checked(HEADER_BYTES).ok_or(Problem::CutOff)?;
    let (format, data) = chunks_of(chunks)?;
    let mut reader = WavReader::new(header.chain(format).chain(data))?;
    let spec = reader.spec();
    let channels = usize::from(spec.channels);
    check(channels, reader.duration().into())?;
    let data_bytes = data.len() - CHUNK_HEADER_BYTES;
    let bits = usize::from(spec.bits_per_sample);
    if reader.len() as usize * bits != data_bytes * 8 {
        let problem = format!("samples of {bits} bits do not fill the bytes that each of them has");
        return Err(Problem::Words(problem));
    }
    let samples: Result<Vec<f32>, hound::Error> = match spec.sample_format {
        SampleFormat::Float => reader.samples().collect(),
        SampleFormat::Int => {
            let scale = 0.5_f32.powi(i32::from(spec.bits_per_sample) - 1);
            reader.samples::<i32>().map(|sample| Ok(sample? as f32 * scale)).collect()
        }
    };
    Ok(Sound::new(samples?, channels, spec.sample_rate)?)
}

/// The chunk that tells the format and the one with the samples, each with its name and length.
fn chunks_of(mut rest: &[u8]) -> Result<(&[u8], &[u8]), Problem> {
    let mut format = None;
    loop {
        let Some((header, behind)) = rest.split_first_chunk::<CHUNK_HEADER_BYTES>() else {
            return Err(Problem::CutOff);
        };
        let [name @ .., a, b, c, d] = header;
        let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        let end = CHUNK_HEADER_BYTES.saturating_add(length);
        let chunk = rest.get(..end).ok_or(Problem::CutOff)?;
        match (name, format) {
            (b"fmt ", _) => format = Some(chunk),
            (b"data", Some(format)) => return Ok((format, chunk)),
            (b"data", None) => {
                return Err(Problem::Words("samples come before their format".to_owned()));
            }
            _ => {}
        }
        // Chunks begin at even places.
        rest = behind.get(length + length % 2..).unwrap_or_default();
    }
}

impl From<hound::Error> for Problem {
    fn from(error: hound::Error) -> Self {
        Self::Words(match error {
            hound::Error::FormatError(problem) => problem.to_owned(),
            hound::Error::Unsupported | hound::Error::TooWide => {
                "samples are neither whole numbers of 8, 16, 24 or 32 bits nor floats of 32"
                    .to_owned()
            }
            other => other.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use hound::{WavSpec, WavWriter};

    use super::*;
    use crate::audio::{AudioError, decode};

    fn spec(bits_per_sample: u16, channels: u16) -> WavSpec {
        let sample_format = SampleFormat::Int;
        WavSpec { channels, sample_rate: 16_000, bits_per_sample, sample_format }
    }

    fn written(spec: WavSpec, samples: &[i32]) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        let mut writer = WavWriter::new(&mut bytes, spec).unwrap();
        for sample in samples {
            writer.write_sample(*sample).unwrap();
        }
        writer.finalize().unwrap();
        bytes.into_inner()
    }

    #[test]
    fn whole_numbers_of_any_width_become_shares_of_the_largest() {
        for bits in [8, 16, 24, 32] {
            let half = 1_i32 << (bits - 2);
            let lowest = -half * 2;
            let sound = decode(&written(spec(bits, 1), &[0, half, -half, lowest])).unwrap();
            assert_eq!(sound.samples(), [0.0, 0.5, -0.5, -1.0], "{bits} bits");
            assert_eq!(sound.rate_hz(), 16_000);
        }
        let sound = decode(&written(spec(16, 2), &[16_384, 0, -16_384, 16_384])).unwrap();
        assert_eq!(sound.samples(), [0.25, 0.0]);
    }

    #[test]
    fn floats_are_taken_as_they_are() {
        let spec = WavSpec { sample_format: SampleFormat::Float, ..spec(32, 1) };
        let mut bytes = Cursor::new(Vec::new());
        let mut writer = WavWriter::new(&mut bytes, spec).unwrap();
        for sample in [0.1_f32, -1.5, f32::INFINITY] {
            writer.write_sample(sample).unwrap();
        }
        writer.finalize().unwrap();
        let mut bytes = bytes.into_inner();
        let error = decode(&bytes).unwrap_err();
        assert_eq!(error, AudioError::NotFinite { place: 2, value: "inf".to_owned() });
        let end = bytes.len();
        bytes[end - 4..].copy_from_slice(&0.25_f32.to_le_bytes());
        assert_eq!(decode(&bytes).unwrap().samples(), [0.1, -1.5, 0.25]);
    }

    #[test]
    fn chunks_of_odd_length_are_passed_over() {
        let plain = written(spec(16, 1), &[1, 2, 3]);
        let mut odd = plain[..HEADER_BYTES].to_vec();
        odd.extend(b"LIST\x03\0\0\0abc\0");
        odd.extend(&plain[HEADER_BYTES..]);
        assert_eq!(decode(&odd), decode(&plain));
    }

    #[test]
    fn a_file_that_is_cut_off_anywhere_is_an_error() {
        let bytes = written(spec(24, 2), &[1, 2, 3, 4]);
        for end in HEADER_BYTES..bytes.len() {
            let error = decode(&bytes[..end]).unwrap_err();
            assert_eq!(error, AudioError::CutOff { format: "WAV" }, "{end}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let bytes = written(spec(16, 1), &[]);
        assert_eq!(decode(&bytes), Err(AudioError::NoSamples));
        let bytes = written(spec(16, 3), &[1, 2, 3]);
        assert_eq!(decode(&bytes), Err(AudioError::Channels { found: 3 }));
        let plain = written(spec(16, 1), &[1, 2]);
        let changed = |place: usize, value: &[u8]| {
            let mut bytes = plain.clone();
            bytes[place..place + value.len()].copy_from_slice(value);
            decode(&bytes).unwrap_err().to_string()
        };
        assert!(changed(20, &[7, 0]).contains("neither whole numbers"), "µ-law");
        assert!(changed(22, &[0, 0]).contains("zero channels"));
        assert!(changed(34, &[12, 0]).contains("not a multiple of 8"));
        assert!(changed(36, b"fact").contains("cut off"));
        // Two bytes for each sample of 8 bits.
        assert!(changed(34, &[8, 0]).contains("do not fill the bytes"));
    }
}
