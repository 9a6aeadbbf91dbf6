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

#[cfg(test)]
mod tests {
    use crate::audio::{AudioError, decode};

    /// Bits one behind the other, the first one highest.
    #[derive(Default)]
    struct Bits(Vec<bool>);

    impl Bits {
        fn put(&mut self, value: u64, count: u32) {
            self.0.extend((0..count).rev().map(|bit| value >> bit & 1 == 1));
        }

        fn bytes(&self) -> Vec<u8> {
            let byte = |bits: &[bool]| {
                bits.iter().zip(0..).map(|(bit, place)| u8::from(*bit) << (7 - place)).sum()
            };
            self.0.chunks(8).map(byte).collect()
        }
    }

    /// The remainder of a polynomial of so many bits.
    fn checksum(bytes: &[u8], polynomial: u32, bits: u32) -> u64 {
        let mut rest = 0_u32;
        for byte in bytes {
            rest ^= u32::from(*byte) << (bits - 8);
            for _ in 0..8 {
                let carries = rest >> (bits - 1) & 1 == 1;
                rest = rest << 1 & ((1 << bits) - 1);
                rest ^= if carries { polynomial } else { 0 };
            }
        }
        rest.into()
    }

    /// A frame of samples of 16 bits that are stored as they are, channel by channel.
    fn frame(channels: &[&[i16]]) -> Vec<u8> {
        let mut bits = Bits::default();
        // Synchronisation, blocks of one size, whose size stands in 16 bits below; the rate is the file's.
        bits.put(0xfff8, 16);
        bits.put(0b0111_0000, 8);
        bits.put(channels.len() as u64 - 1, 4);
        // 16 bits a sample, and the number 0.
        bits.put(0b1000, 4);
        bits.put(0, 8);
        bits.put(channels[0].len() as u64 - 1, 16);
        bits.put(checksum(&bits.bytes(), 0x07, 8), 8);
        for channel in channels {
            bits.put(0b0000_0010, 8);
            channel.iter().for_each(|sample| bits.put(u64::from(sample.cast_unsigned()), 16));
        }
        bits.put(checksum(&bits.bytes(), 0x8005, 16), 16);
        bits.bytes()
    }

    fn file(channels: u64, samples: u64, bits_per_sample: u64, frames: &[Vec<u8>]) -> Vec<u8> {
        let mut bits = Bits::default();
        bits.put(0x664c_6143, 32);
        // The last block of metadata, of 34 bytes: the stream's.
        bits.put(0x8000_0022, 32);
        bits.put(16, 16);
        bits.put(4096, 16);
        bits.put(0, 48);
        bits.put(16_000, 20);
        bits.put(channels - 1, 3);
        bits.put(bits_per_sample - 1, 5);
        bits.put(samples, 36);
        bits.put(0, 64);
        bits.put(0, 64);
        [bits.bytes(), frames.concat()].concat()
    }

    const LEFT: [i16; 16] = [i16::MIN, 16_384, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, -13];

    #[test]
    fn samples_are_shares_of_the_largest_and_channels_are_mixed() {
        let sound = decode(&file(1, 32, 16, &[frame(&[&LEFT]), frame(&[&LEFT])])).unwrap();
        assert_eq!(sound.rate_hz(), 16_000);
        assert_eq!(sound.samples().len(), 32);
        assert_eq!(sound.samples()[16..18], [-1.0, 0.5]);
        let sound = decode(&file(2, 0, 16, &[frame(&[&LEFT, &[0; 16]])])).unwrap();
        assert_eq!(sound.samples()[..2], [-0.5, 0.25]);
        let tagged = [file(1, 16, 16, &[frame(&[&LEFT])]), b"TAGsong".to_vec()].concat();
        assert_eq!(decode(&tagged).unwrap().samples().len(), 16);
    }

    #[test]
    fn a_file_that_is_cut_off_anywhere_is_an_error() {
        let bytes = file(1, 32, 16, &[frame(&[&LEFT]), frame(&[&LEFT])]);
        for end in 4..bytes.len() {
            let error = decode(&bytes[..end]).unwrap_err();
            assert_eq!(error, AudioError::CutOff { format: "FLAC" }, "{end}");
        }
    }

    #[test]
    fn frames_that_do_not_fit_the_file_are_refused() {
        let good = frame(&[&LEFT]);
        let mut changed = good.clone();
        changed[10] ^= 1;
        let stereo = frame(&[&LEFT, &LEFT]);
        for (bytes, wanted) in [
            (file(1, 16, 16, &[changed]), "CRC"),
            (file(2, 16, 16, std::slice::from_ref(&good)), "other channels"),
            (file(1, 16, 8, std::slice::from_ref(&good)), "wider samples"),
            (file(1, 3, 16, std::slice::from_ref(&good)), "more samples"),
            (file(3, 16, 16, &[stereo]), "3 channels"),
            (file(2, 1 << 35, 16, &[]), "68719476736 samples"),
            (file(1, 0, 16, &[]), "no samples"),
        ] {
            let error = decode(&bytes).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
