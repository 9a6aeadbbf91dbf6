//! The two distributions that tests need: Student's t and the normal.

use statrs::function::{
    beta::checked_beta_reg,
    erf::{erfc, erfc_inv},
};

/// The probability that |t| is at least this, with so many degrees of freedom: of no scatter at all
/// 0, of anything that is no number 1.
///
/// I(ν / (ν + t²); ν/2, 1/2) with the regularised incomplete beta function, as `scipy.stats.t.sf`
/// times two; M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), 26.7.1.
pub(super) fn student_two_sided(t: f64, degrees: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    let share = degrees / (degrees + t * t);
    checked_beta_reg(degrees / 2.0, 0.5, share).map_or(1.0, |p| p.clamp(0.0, 1.0))
}

/// The 97.5 % quantile of Student's t, as `scipy.stats.t.ppf(0.975, degrees)`; found by bisection, for
/// the two-sided probability falls strictly.
pub(super) fn student_975(degrees: f64) -> f64 {
    let (mut low, mut high) = (1.9, 13.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if student_two_sided(middle, degrees) > 0.05 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// What |t| reaches with this probability: of 5 % the same as [`student_975`]. Found by bisection.
pub(super) fn student_critical(probability: f64, degrees: f64) -> f64 {
    let (mut low, mut high) = (0.0, 2.0);
    while student_two_sided(high, degrees) > probability && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if student_two_sided(middle, degrees) > probability { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The probability that a standard normal number is at most this.
pub(super) fn normal_below(z: f64) -> f64 {
    erfc(-z / std::f64::consts::SQRT_2) / 2.0
}

/// The standard normal number below which this share lies, as `scipy.stats.norm.ppf`.
pub(super) fn normal_quantile(share: f64) -> f64 {
    -std::f64::consts::SQRT_2 * erfc_inv(2.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_close(found: f64, expected: f64) -> bool {
        (found / expected - 1.0).abs() < 1e-10
    }

    #[test]
    fn tails_are_those_of_tables() {
        // One degree of freedom is Cauchy's distribution, two have a closed form.
        assert!(is_close(student_two_sided(1.0, 1.0), 0.5));
        assert!(is_close(student_two_sided(2.0, 2.0), 1.0 - 2.0 / 6.0_f64.sqrt()));
        assert!(is_close(student_975(1.0), (0.475 * std::f64::consts::PI).tan()));
        assert!(is_close(normal_below(-1.0), 0.158_655_253_931_457_05));
        assert!(is_close(normal_quantile(0.8), 0.841_621_233_572_914_2));
    }

    #[test]
    fn any_quantile_is_found() {
        assert!(is_close(student_critical(0.05, 7.0), student_975(7.0)));
        // Two degrees of freedom have a closed form: P(|t| > x) = 1 − x / √(2 + x²).
        assert!(is_close(
            student_critical(0.01, 2.0),
            0.99 * (2.0 / (1.0 - 0.99_f64.powi(2))).sqrt()
        ));
    }

    #[test]
    fn many_degrees_are_normal() {
        let normal = normal_quantile(0.975);
        let mut last = f64::INFINITY;
        for degrees in [30.0, 1e3, 14_041.0, 1e5, 1e6, 1e7] {
            let quantile = student_975(degrees);
            // The first two terms of the expansion: z + (z³ + z) / 4ν.
            let near = normal + (normal.powi(3) + normal) / (4.0 * degrees);
            let third = 5.0 * normal.powi(5) / (96.0 * degrees * degrees);
            assert!((quantile - near).abs() < 10.0 * third + 1e-8, "{degrees}: {quantile} {near}");
            assert!(quantile < last && quantile > normal);
            last = quantile;
        }
    }

    #[test]
    fn what_is_no_number_has_no_tail() {
        assert!(is_close(student_two_sided(f64::NAN, 5.0), 1.0));
        assert!(is_close(student_two_sided(1.0, 0.0), 1.0));
        assert!(student_two_sided(f64::INFINITY, 5.0).abs() < 1e-300);
    }
}
