//! Whisper's features (Radford et al. 2022): how loud a sound is in each bin of frequencies, frame by frame.
//!
//! A frame is a stretch of samples under a Hann window, around every `hop`th sample; where it reaches beyond the sound, samples are mirrored. The logarithms of
//! all frames are cut at eight below the highest, which makes a feature depend on the whole sound.

use std::{f64::consts::TAU, fmt, sync::Arc};

use rustfft::{Fft, FftPlanner, num_complex::Complex};

use super::mel_filters::MelFilters;

/// Where the highest bin ends, whatever the sampling rate is.
const HIGHEST_HZ: f64 = 8000.0;

/// The least loudness that has a logarithm.
const LEAST: f64 = 1e-10;

/// How far below the loudest feature others are cut, in powers of ten.
const RANGE: f32 = 8.0;

/// What makes features of samples.
#[derive(Clone)]
pub(super) struct LogMel {
    hop: usize,
    window: Vec<f64>,
    transform: Arc<dyn Fft<f64>>,
    filters: MelFilters,
}

impl LogMel {
    /// Frames of `frame` samples, one every `hop`, in `bins`.
    pub(super) fn new(frame: usize, hop: usize, bins: usize, rate_hz: u32) -> Self {
        let half = |place: usize| 0.5 - 0.5 * (TAU * place as f64 / frame as f64).cos();
        Self {
            hop,
            window: (0..frame).map(half).collect(),
            transform: FftPlanner::new().plan_fft_forward(frame),
            filters: MelFilters::new(bins, HIGHEST_HZ, frame / 2 + 1, f64::from(rate_hz / 2)),
        }
    }

    /// `(frames, bins)`, a frame for every whole `hop` of the samples. There are more samples than half a frame has.
    pub(super) fn features(&self, samples: &[f32]) -> Vec<f32> {
        let frame = self.window.len();
        let mut logarithms = Vec::new();
        let mut numbers = vec![Complex::default(); frame];
        let mut scratch = vec![Complex::default(); self.transform.get_inplace_scratch_len()];
        let mut powers = Vec::with_capacity(frame / 2 + 1);
        for middle in (0..samples.len() / self.hop).map(|frame| frame * self.hop) {
            for (place, (number, weight)) in numbers.iter_mut().zip(&self.window).enumerate() {
                let sample = samples[mirrored(middle + place, frame / 2, samples.len())];
                *number = Complex::from(f64::from(sample) * weight);
            }
            self.transform.process_with_scratch(&mut numbers, &mut scratch);
            powers.clear();
            powers.extend(numbers[..=frame / 2].iter().map(Complex::norm_sqr));
            let loudness = self.filters.loudness(&powers);
            logarithms.extend(loudness.map(|loudness| loudness.max(LEAST).log10() as f32));
        }
        let highest = logarithms.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for logarithm in &mut logarithms {
            *logarithm = (logarithm.max(highest - RANGE) + 4.0) / 4.0;
        }
        logarithms
    }
}

/// The place `shifted − shift` among `count`, mirrored at the first and the last where it is not among them.
fn mirrored(shifted: usize, shift: usize, count: usize) -> usize {
    let place = shifted.abs_diff(shift);
    if place < count { place } else { (2 * (count - 1)).saturating_sub(place) }
}

impl fmt::Debug for LogMel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "LogMel({} samples every {})", self.window.len(), self.hop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_beyond_the_ends_are_mirrored() {
        let places: Vec<usize> = (0..8).map(|shifted| mirrored(shifted, 2, 4)).collect();
        assert_eq!(places, [2, 1, 0, 1, 2, 3, 2, 1]);
    }

    #[test]
    fn silence_is_flat_and_a_tone_is_loudest_in_its_bin() {
        let log_mel = LogMel::new(400, 160, 80, 16_000);
        let silence = log_mel.features(&[0.0; 1600]);
        assert_eq!(silence, [-1.5; 10 * 80]);
        let tone = |hertz: f64| -> Vec<f32> {
            (0..1600).map(|at| (TAU * hertz * f64::from(at) / 16_000.0).sin() as f32).collect()
        };
        let loudest = |hertz| {
            let features = log_mel.features(&tone(hertz));
            let middle = features.chunks(80).nth(5).unwrap();
            (0..80).max_by(|a, b| middle[*a].total_cmp(&middle[*b])).unwrap()
        };
        // Bins are even up to 1000 Hz, which is 15 of 45.25 mels.
        assert!((26..=27).contains(&loudest(1000.0)), "{}", loudest(1000.0));
        assert!(loudest(440.0) < loudest(1000.0) && loudest(1000.0) < loudest(4000.0));
    }
}
