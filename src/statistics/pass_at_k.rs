//! How often a model that is asked several times is right.
//!
//! Of `samples` answers to a question `right` are right. Whoever draws `k` of them finds at least one, or at least a
//! share, that are: the tail of a hypergeometric distribution, which is the unbiased estimate of what `k` answers
//! would have shown. `G-Pass@k` and `mG-Pass@k` are those of Liu et al. 2024.

/// The probability that one of `k` answers is right; nothing if there are not so many answers.
pub fn pass_at_k(samples: usize, right: usize, k: usize) -> Option<f64> {
    (k <= samples && right <= samples).then(|| at_least(samples, right, k, 1))
}

/// The probability that of `k` answers at least a share `threshold` is right, and at least one; 0 if there are
/// not so many answers.
pub fn g_pass_at_k(samples: usize, right: usize, k: usize, threshold: f64) -> f64 {
    let least = (k as f64 * threshold).ceil().max(1.0) as usize;
    at_least(samples, right, k, least)
}

/// Twice the area under `G-Pass@k` for thresholds from a half on.
pub fn mean_g_pass_at_k(samples: usize, right: usize, k: usize) -> f64 {
    let each = (k.div_ceil(2) + 1..=k).map(|least| at_least(samples, right, k, least));
    // The sum of no numbers at all is -0 in Rust.
    let sum = each.fold(0.0, |sum, one| sum + one);
    2.0 * sum / k.max(1) as f64
}

/// The probability that of `k` of the answers `least` or more are right.
fn at_least(samples: usize, right: usize, k: usize, least: usize) -> f64 {
    if samples == 0 || right > samples || k > samples || least > right.min(k) {
        return 0.0;
    }
    let wrong = samples - right;
    // From the fewest that can be right on, each probability is a ratio of the one before.
    let fewest = k.saturating_sub(wrong);
    let (mut weight, mut all, mut tail) = (1.0, 0.0, 0.0);
    for count in fewest..=right.min(k) {
        all += weight;
        if count >= least {
            tail += weight;
        }
        let more = (right - count) as f64 * (k - count) as f64;
        weight *= more / ((count + 1) as f64 * (wrong + count + 1 - k) as f64);
        if weight > 1e200 {
            (weight, all, tail) = (weight / 1e200, all / 1e200, tail / 1e200);
        }
    }
    tail / all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_of_all_answers_is_certain() {
        assert!((g_pass_at_k(4, 2, 4, 0.5) - 1.0).abs() < 1e-15);
        assert!(g_pass_at_k(4, 2, 4, 0.75).abs() < 1e-15);
        assert_eq!(pass_at_k(4, 0, 5), None);
    }

    #[test]
    fn many_answers_do_not_overflow() {
        let share = g_pass_at_k(100_000, 50_000, 2_000, 0.5);
        assert!((0.5..0.52).contains(&share), "{share}");
    }
}
