//! Whether two figures rise together, whatever their units.

use super::{Unstated, distribution::student_two_sided};

/// Up to so many pairs every order is tried: 8! = 40,320 of them.
const EXACT_UP_TO: usize = 8;

/// Spearman's rank correlation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankCorrelation {
    /// Spearman's rho, from −1 to 1.
    pub rho: f64,
    /// Two-sided, under no association. Of up to 8 pairs the share of all orders with a rho at least as
    /// far from 0 (three pairs never get below 1/3); of more from Student's t with n − 2 degrees of freedom.
    pub p: f64,
}

impl RankCorrelation {
    /// Of pairs of figures, at least two.
    ///
    /// The correlation of the ranks, equal figures sharing their mean rank, as
    /// `scipy.stats.spearmanr`. See C. Spearman, "The Proof and Measurement of Association between Two
    /// Things", American Journal of Psychology 15 (1904), 72–101. The p of more than 8 pairs is
    /// scipy's; scipy takes that formula for few pairs too, of which it says itself that it is wrong there.
    pub fn of(first: &[f64], second: &[f64]) -> Result<Self, Unstated> {
        let n = first.len();
        if n != second.len() {
            return Err(Unstated::Lengths { first: n, second: second.len() });
        }
        if n < 2 {
            return Err(Unstated::FewSamples { found: n, needed: 2 });
        }
        if !first.iter().chain(second).all(|value| value.is_finite()) {
            return Err(Unstated::NotFinite);
        }
        let (first, mut second) = (centred_ranks(first), centred_ranks(second));
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let scale = (product(&first, &first) * product(&second, &second)).sqrt();
        if scale <= 0.0 {
            return Err(Unstated::NoScatter);
        }
        let found = product(&first, &second);
        let rho = (found / scale).clamp(-1.0, 1.0);
        if n > EXACT_UP_TO {
            let degrees = (n - 2) as f64;
            let t = rho * (degrees / ((1.0 - rho) * (1.0 + rho))).sqrt();
            return Ok(Self { rho, p: student_two_sided(t, degrees) });
        }
        let (mut orders, mut as_far) = (0_u32, 0_u32);
        // Centred ranks are halves of whole numbers: half a quarter keeps rounding out.
        each_order(&mut second, n, &mut |order| {
            orders += 1;
            as_far += u32::from(product(&first, order).abs() >= found.abs() - 0.125);
        });
        Ok(Self { rho, p: f64::from(as_far) / f64::from(orders) })
    }
}

/// Ranks from 1, equal values sharing their mean rank, less the mean of all.
fn centred_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let middle = f64::midpoint(values.len() as f64, 1.0);
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    // −0.0 and 0.0 are one figure, though `total_cmp` tells them apart.
    #[expect(clippy::float_cmp, reason = "a tie is the same number")]
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = before as f64 + f64::midpoint(equal.len() as f64, 1.0);
        for &index in equal {
            ranks[index] = rank - middle;
        }
        before += equal.len();
    }
    ranks
}

/// Every order of the first `length` values, by Heap's algorithm.
fn each_order(values: &mut [f64], length: usize, visit: &mut impl FnMut(&[f64])) {
    if length <= 1 {
        return visit(values);
    }
    for index in 0..length {
        each_order(values, length - 1, visit);
        if index + 1 < length {
            values.swap(if length.is_multiple_of(2) { index } else { 0 }, length - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pairs_are_counted_out() {
        let perfect = RankCorrelation::of(&[1.0, 2.0, 3.0, 4.0], &[2.0, 3.0, 5.0, 9.0]).unwrap();
        assert!((perfect.rho - 1.0).abs() < 1e-15);
        // Two of 24 orders: up and down.
        assert!((perfect.p - 2.0 / 24.0).abs() < 1e-15);
    }

    #[test]
    fn many_pairs_have_the_t_of_scipy() {
        // scipy.stats.spearmanr(range(10), [0, 2, 1, 4, 3, 6, 5, 8, 7, 9]): t = 19.6 of 8 degrees.
        let first: Vec<f64> = (0..10).map(f64::from).collect();
        let second = [0.0, 2.0, 1.0, 4.0, 3.0, 6.0, 5.0, 8.0, 7.0, 9.0];
        let found = RankCorrelation::of(&first, &second).unwrap();
        assert!((found.rho - (1.0 - 6.0 * 8.0 / 990.0)).abs() < 1e-12);
        assert!(found.p < 1e-4 && found.p > 1e-6);
    }

    #[test]
    fn one_figure_everywhere_has_no_ranks() {
        assert_eq!(RankCorrelation::of(&[1.0; 3], &[1.0, 2.0, 3.0]), Err(Unstated::NoScatter));
        assert_eq!(RankCorrelation::of(&[0.0, -0.0], &[1.0, 2.0]), Err(Unstated::NoScatter));
        assert_eq!(RankCorrelation::of(&[f64::NAN, 1.0], &[1.0, 2.0]), Err(Unstated::NotFinite));
        assert!(RankCorrelation::of(&[1.0], &[1.0]).is_err());
    }
}
