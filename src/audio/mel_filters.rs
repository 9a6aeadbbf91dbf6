//! Triangles on Slaney's mel scale (Auditory Toolbox 1998), each of one area: from powers at even frequencies to loudness in bins.

/// The scale is even up to here.
const EVEN_HZ: f64 = 1000.0;

/// The mel of that frequency.
const EVEN_MEL: f64 = 15.0;

/// Mels for the logarithm of a ratio of frequencies, above it.
fn mels_per_log() -> f64 {
    27.0 / 6.4_f64.ln()
}

/// Filters that cover the frequencies from 0 up.
#[derive(Clone, Debug)]
pub(super) struct MelFilters {
    filters: Vec<Filter>,
}

/// The weights that are not 0.
#[derive(Clone, Debug)]
struct Filter {
    /// The first power that has one.
    first: usize,
    weights: Vec<f64>,
}

impl MelFilters {
    /// `count` filters up to `highest_hz`, for powers at `powers` frequencies from 0 to `last_hz`.
    pub(super) fn new(count: usize, highest_hz: f64, powers: usize, last_hz: f64) -> Self {
        let step = mel(highest_hz) / (count + 1) as f64;
        let corners: Vec<f64> = (0..count + 2).map(|place| hertz(place as f64 * step)).collect();
        let frequency = |power: usize| power as f64 * last_hz / (powers - 1).max(1) as f64;
        let filter = |corners: &[f64]| {
            let [left, middle, right] = [corners[0], corners[1], corners[2]];
            let weight = |power: usize| {
                let rising = (frequency(power) - left) / (middle - left);
                let falling = (right - frequency(power)) / (right - middle);
                rising.min(falling).max(0.0) * 2.0 / (right - left)
            };
            let first = (0..powers).find(|power| weight(*power) > 0.0).unwrap_or(powers);
            let weights = (first..powers).map(weight).take_while(|weight| *weight > 0.0).collect();
            Filter { first, weights }
        };
        Self { filters: corners.windows(3).map(filter).collect() }
    }

    /// The loudness in each bin.
    pub(super) fn loudness(&self, powers: &[f64]) -> impl Iterator<Item = f64> {
        self.filters.iter().map(move |filter| {
            let own = powers.iter().skip(filter.first).zip(&filter.weights);
            own.map(|(power, weight)| power * weight).sum()
        })
    }
}

fn mel(hertz: f64) -> f64 {
    if hertz < EVEN_HZ {
        EVEN_MEL * hertz / EVEN_HZ
    } else {
        EVEN_MEL + (hertz / EVEN_HZ).ln() * mels_per_log()
    }
}

fn hertz(mel: f64) -> f64 {
    if mel < EVEN_MEL {
        EVEN_HZ * mel / EVEN_MEL
    } else {
        EVEN_HZ * ((mel - EVEN_MEL) / mels_per_log()).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mels_and_hertz_undo_each_other() {
        for frequency in [0.0, 30.0, 999.9, 1000.0, 1234.5, 8000.0] {
            assert!((hertz(mel(frequency)) - frequency).abs() < 1e-9, "{frequency}");
        }
        // As the scale is meant: 27 mels for a factor of 6.4.
        assert!((mel(6400.0) - 42.0).abs() < 1e-12);
    }

    #[test]
    fn a_filter_is_a_triangle_of_one_area() {
        // Corners at 0, 250, 500, 750 and 1000 Hz.
        let filters = MelFilters::new(3, 1000.0, 1001, 1000.0);
        for (place, filter) in filters.filters.iter().enumerate() {
            assert_eq!(filter.first, place * 250 + 1);
            assert_eq!(filter.weights.len(), 499);
            assert!((filter.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        let even = filters.loudness(&[1.0; 1001]).collect::<Vec<_>>();
        assert!(even.iter().all(|loudness| (loudness - 1.0).abs() < 1e-9));
    }

    #[test]
    fn a_filter_between_two_frequencies_hears_nothing() {
        let filters = MelFilters::new(50, 1000.0, 3, 8000.0);
        assert!(filters.loudness(&[1.0; 3]).all(|loudness| loudness == 0.0));
    }
}
