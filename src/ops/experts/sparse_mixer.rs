//! Routes of `SparseMixer` (Liu et al. 2023) when nothing is trained: experts are chosen one after the
//! other, each weighed against those of the rest that come near it.

use crate::ops::curves;

/// The `chosen` best experts of one row, the best first, with their weights: of those that are left, an
/// expert's share of the softmax of logits that are not further below its own than `tolerance`, as a
/// part of the larger magnitude.
pub(super) fn choose(logits: &[f32], chosen: usize, tolerance: f32) -> Vec<(usize, f32)> {
    let mut left: Vec<usize> = (0..logits.len()).collect();
    let mut choices = Vec::with_capacity(chosen);
    for _ in 0..chosen {
        let better =
            |one: usize, other: usize| if logits[other] > logits[one] { other } else { one };
        let Some(best) = left.iter().copied().reduce(better) else { break };
        let highest = logits[best];
        let near = |logit: f32| {
            let distance = (highest - logit) / logit.abs().max(highest);
            // Where both are zero the distance is no number, and they are near.
            distance.is_nan() || distance <= tolerance
        };
        let powers = left.iter().map(|&expert| logits[expert]).filter(|&logit| near(logit));
        let sum: f32 = powers.map(|logit| curves::exp(logit - highest)).sum();
        choices.push((best, sum.recip()));
        left.retain(|&expert| expert != best);
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expert_is_weighed_against_those_near_it_that_are_left() {
        // 1.99 lies within 2 % of 2.0, and 1.5 does not.
        let choices = choose(&[1.5, 2.0, 1.99, -2.0], 2, 0.02);
        assert_eq!(choices.iter().map(|(expert, _)| *expert).collect::<Vec<_>>(), [1, 2]);
        let first = 1.0 / (1.0 + (-0.01f32).exp());
        assert!((choices[0].1 - first).abs() < 1e-5 && (choices[1].1 - 1.0).abs() < 1e-6);
        // Below zero the magnitude is that of the lower logit.
        let choices = choose(&[-1.0, -1.015], 1, 0.02);
        assert!((choices[0].1 - 1.0 / (1.0 + (-0.015f32).exp())).abs() < 1e-5);
        assert_eq!(choose(&[0.0, 0.0], 2, 0.02), [(0, 0.5), (1, 1.0)]);
    }
}
