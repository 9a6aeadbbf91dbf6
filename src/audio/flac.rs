//! FLAC, decoded by `claxon`, which compares the checksum of every frame.

use std::io::ErrorKind;

use claxon::FlacReader;

use super::{
    Sound,
    decode::{Problem, check},
};

/// Reads a file that begins as one.
pub(super) fn read(bytes: &[u8]) -> Result<Sound, Problem> {
    let mut reader = FlacReader::new(bytes)?;
    let info = reader.streaminfo();
    let channels = info.channels as usize;
    check(channels, info.samples.unwrap_or(0))?;
    let largest = 1_i64 << (info.bits_per_sample - 1);
    let scale = 1.0 / largest as f32;
    let mut samples = Vec::new();
    let mut duration = 0_u64;
    let mut frames = reader.blocks();
    let mut buffer = Vec::new();
    // What follows the last sample is no sound: some programs write their tags there.
    while info.samples.is_none_or(|all| duration < all) {
        let Some(frame) = frames.read_next_or_eof(buffer)? else { break };
        if frame.channels() != info.channels {
            return Err(Problem::Words("a frame has other channels than the file".to_owned()));
        }
        duration += u64::from(frame.duration());
        check(channels, duration)?;
        for place in 0..frame.duration() {
            for channel in 0..frame.channels() {
                let sample = frame.sample(channel, place);
                if !(-largest..largest).contains(&i64::from(sample)) {
                    let problem = "a frame has wider samples than the file".to_owned();
                    return Err(Problem::Words(problem));
                }
                samples.push(sample as f32 * scale);
            }
        }
        buffer = frame.into_buffer();
    }
    match info.samples {
        Some(all) if duration < all => Err(Problem::CutOff),
        Some(all) if duration > all => {
            Err(Problem::Words("frames have more samples than the file".to_owned()))
        }
        _ => Ok(Sound::new(samples, channels, info.sample_rate)?),
    }
}

impl From<claxon::Error> for Problem {
    fn from(error: claxon::Error) -> Self {
        match error {
            claxon::Error::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
                Self::CutOff
            }
            claxon::Error::IoError(error) => Self::Words(error.to_string()),
            claxon::Error::FormatError(problem) => Self::Words(problem.to_owned()),
            claxon::Error::Unsupported(what) => Self::Words(format!("{what} is not supported")),
        }
    }
}
