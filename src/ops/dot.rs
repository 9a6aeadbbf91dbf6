//! The product of two vectors.

use super::simd::vectorised;

/// Sums that are kept side by side.
const LANES: usize = 32;

vectorised! {
    /// Σ aᵢ · bᵢ over the numbers that both have. Products are rounded and added in an order that depends on the length
    /// alone, so every processor gives the same bits.
    pub fn dot(one: &[f32], other: &[f32]) -> f32 {
        let mut sums = [0.0_f32; LANES];
        let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
        let rest = ones.remainder().iter().zip(others.remainder());
        let rest = rest.fold(0.0, |sum, (a, b)| sum + a * b);
        for (ones, others) in ones.zip(others) {
            for ((sum, a), b) in sums.iter_mut().zip(ones).zip(others) {
                *sum += a * b;
            }
        }
        let mut width = LANES / 2;
        while width > 0 {
            let (low, high) = sums.split_at_mut(width);
            for (low, high) in low.iter_mut().zip(high) {
                *low += *high;
            }
            width /= 2;
        }
        sums[0] + rest
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_sum_of_products(
            pairs in proptest::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 0..200),
        ) {
            let (one, other): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
            let exact: f64 = pairs.iter().map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            prop_assert!((f64::from(dot(&one, &other)) - exact).abs() < 1e-5);
            prop_assert_eq!(dot(&one, &other).to_bits(), dot(&other, &one).to_bits());
        }
    }
}
