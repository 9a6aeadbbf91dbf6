//! How two lists of numbers go together: correlations and the area under a ROC curve.

/// Pearson's correlation; NaN where one side does not vary or there are fewer than two.
pub(super) fn pearson(left: &[f64], right: &[f64]) -> f64 {
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let (left_mean, right_mean) = (mean(left), mean(right));
    let left: Vec<f64> = left.iter().map(|own| own - left_mean).collect();
    let right: Vec<f64> = right.iter().map(|own| own - right_mean).collect();
    let length = |of: &[f64]| of.iter().map(|own| own * own).sum::<f64>().sqrt();
    let (left_length, right_length) = (length(&left), length(&right));
    let product: f64 = left.iter().zip(&right).map(|(a, b)| a * b).sum();
    let correlation = product / (left_length * right_length);
    // Rounding alone makes more than all of it.
    if correlation.is_nan() { f64::NAN } else { correlation.clamp(-1.0, 1.0) }
}

/// Spearman's: Pearson's of the ranks.
pub(super) fn spearman(left: &[f64], right: &[f64]) -> f64 {
    pearson(&ranks(left), &ranks(right))
}

/// Ranks from 1 on; equal numbers share the mean of theirs.
pub(super) fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = numbers.iter().copied().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let mut ranks = vec![0.0; numbers.len()];
    let mut first = 1;
    for equal in
        order.chunk_by(|(_, a), (_, b)| a.partial_cmp(b) == Some(std::cmp::Ordering::Equal))
    {
        let rank = first as f64 + (equal.len() - 1) as f64 / 2.0;
        for (index, _) in equal {
            if let Some(own) = ranks.get_mut(*index) {
                *own = rank;
            }
        }
        first += equal.len();
    }
    ranks
}

/// The area under the ROC curve: how often a score of what is meant is greater than one of what is not, ties
/// counting half. Nothing where there is only one kind.
pub(super) fn roc_auc(meant: &[bool], scores: &[f64]) -> Option<f64> {
    let ranks = ranks(scores);
    let positives = meant.iter().filter(|meant| **meant).count() as f64;
    let negatives = meant.len() as f64 - positives;
    let sum: f64 =
        meant.iter().zip(&ranks).filter(|(meant, _)| **meant).map(|(_, rank)| rank).sum();
    (positives > 0.0 && negatives > 0.0)
        .then(|| (sum - positives * (positives + 1.0) / 2.0) / (positives * negatives))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_scipy() {
        let (left, right) = ([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 5.0]);
        assert!((pearson(&left, &right) - 0.831_521_840_620_299_9).abs() < 1e-12);
        assert!((spearman(&left, &right) - 0.8).abs() < 1e-12);
        assert_eq!(ranks(&[2.0, 1.0, 2.0]), [2.5, 1.0, 2.5]);
        assert!(pearson(&[1.0, 1.0], &[1.0, 2.0]).is_nan());
        assert_eq!(roc_auc(&[true, false], &[0.5, 0.5]), Some(0.5));
        assert_eq!(roc_auc(&[true], &[0.5]), None);
    }
}
