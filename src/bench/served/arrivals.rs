//! When each request of a rate is to be sent.

use rand_mt::Mt64;

use super::ArrivalKind;

/// Seconds from the start at which `requests` are to be sent, in order: as many a second as `rate` says, over all of
/// them together.
///
/// The gaps of `Poisson` are exponential, −ln(1 − u) with u from `random`, and all are stretched by one factor so that
/// the last request comes at `requests / rate`: the rate is then what was asked for and not what chance made of it, as
/// in `AISBench` and vLLM.
pub fn arrival_seconds(
    requests: usize,
    rate: f64,
    kind: ArrivalKind,
    random: &mut Mt64,
) -> Vec<f64> {
    match kind {
        ArrivalKind::Constant => (0..requests).map(|index| index as f64 / rate).collect(),
        ArrivalKind::Poisson => {
            let mut now = 0.0;
            let times: Vec<f64> = (0..requests)
                .map(|_| {
                    let share = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                    now -= (-share).ln_1p();
                    now
                })
                .collect();
            let stretch = if now > 0.0 { requests as f64 / rate / now } else { 0.0 };
            times.into_iter().map(|time| time * stretch).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_requests_are_as_far_apart_as_the_rate_says() {
        let times = arrival_seconds(4, 8.0, ArrivalKind::Constant, &mut Mt64::new(1));
        assert_eq!(times, [0.0, 0.125, 0.25, 0.375]);
    }

    #[test]
    fn chance_keeps_the_rate_and_repeats_with_its_seed() {
        let of = |seed| arrival_seconds(2000, 5.0, ArrivalKind::Poisson, &mut Mt64::new(seed));
        let times = of(7);
        assert_eq!(times, of(7));
        assert_ne!(times, of(8));
        assert!((times[1999] - 400.0).abs() < 1e-9);
        assert!(times.is_sorted());
        // Of exponential gaps the share e⁻¹ is longer than their mean, and the deviation is the mean.
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let longer = gaps.iter().filter(|gap| **gap > 0.2).count() as f64 / gaps.len() as f64;
        assert!((longer - (-1.0_f64).exp()).abs() < 0.04, "{longer}");
        let squares = gaps.iter().map(|gap| (gap - 0.2).powi(2)).sum::<f64>();
        let deviation = (squares / gaps.len() as f64).sqrt();
        assert!((deviation - 0.2).abs() < 0.02, "{deviation}");
        assert!(arrival_seconds(0, 5.0, ArrivalKind::Poisson, &mut Mt64::new(1)).is_empty());
    }
}
