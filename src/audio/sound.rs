//! Sound whose samples are known.

use std::fmt;

use super::AudioError;

/// Samples of one channel, at least one, all finite.
#[derive(Clone, PartialEq)]
pub struct Sound {
    samples: Vec<f32>,
    rate_hz: u32,
}

impl Sound {
    /// Takes samples, −1 to 1 where the file has whole numbers; those of two channels take turns, and become their mean.
    ///
    /// # Errors
    /// [`AudioError`] where there are more channels, no samples, or samples that are no numbers.
    pub fn new(samples: Vec<f32>, channels: usize, rate_hz: u32) -> Result<Self, AudioError> {
        if samples.is_empty() {
            return Err(AudioError::NoSamples);
        }
        if let Some(place) = samples.iter().position(|sample| !sample.is_finite()) {
            return Err(AudioError::NotFinite { place, value: samples[place].to_string() });
        }
        let samples = match channels {
            1 => samples,
            2 => {
                let (pairs, _) = samples.as_chunks();
                pairs.iter().map(|[left, right]| f32::midpoint(*left, *right)).collect()
            }
            found => return Err(AudioError::Channels { found }),
        };
        Ok(Self { samples, rate_hz })
    }

    /// The samples, in order.
    pub fn samples(&self) -> &[f32] {
        &self.samples
    }

    /// Samples of a second.
    pub fn rate_hz(&self) -> u32 {
        self.rate_hz
    }
}

impl fmt::Debug for Sound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Sound({} samples at {} Hz)", self.samples.len(), self.rate_hz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_channels_become_their_mean() {
        let sound = Sound::new(vec![0.5, 0.25, -1.0, 1.0], 2, 8000).unwrap();
        assert_eq!(sound.samples(), [0.375, 0.0]);
        assert_eq!(format!("{sound:?}"), "Sound(2 samples at 8000 Hz)");
    }

    #[test]
    fn what_is_no_sound_is_refused() {
        let refused = |samples: &[f32], channels| {
            Sound::new(samples.to_vec(), channels, 16_000).unwrap_err().to_string()
        };
        assert!(refused(&[], 1).contains("no samples"));
        assert!(refused(&[0.0, f32::NAN], 1).contains("sample 1 of the audio is NaN"));
        assert!(refused(&[0.0; 6], 6).contains("6 channels"));
        assert!(refused(&[0.0; 6], 0).contains("0 channels"));
    }
}
