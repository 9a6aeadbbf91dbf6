//! The order of scores, equal ones included.
//!
//! OpenCompass ranks rows with `np.argsort`, which leaves the order of equal scores open, and short
//! texts score equal often. What NumPy really does on processors with AVX-512, where most published
//! numbers come from, is a bitonic sorting network for up to 64 scores. The same network is run
//! here, one comparison at a time, on any processor. More scores NumPy first partitions, which is not
//! followed here: among more than 64, equal scores keep their order.

use std::iter;

/// The largest number of scores that the network sorts.
const NETWORK_LANES: usize = 64;
/// The smallest network, one register of doubles.
const REGISTER_LANES: usize = 8;

/// The positions of the scores from the lowest to the highest.
pub(super) fn ascending(scores: &[f64]) -> Vec<usize> {
    let mut lanes: Vec<(f64, usize)> = scores.iter().copied().zip(0..).collect();
    if scores.len() > NETWORK_LANES {
        lanes.sort_by(|left, right| left.0.total_cmp(&right.0));
    } else {
        let padding = scores.len().next_power_of_two().max(REGISTER_LANES) - scores.len();
        lanes.extend(iter::repeat_n((f64::INFINITY, 0), padding));
        sort(&mut lanes);
        lanes.truncate(scores.len());
    }
    lanes.into_iter().map(|(_, position)| position).collect()
}

/// Sorts both halves, compares them from the outside in, and cleans up with ever closer
/// comparisons; the number of lanes is a power of two.
fn sort(lanes: &mut [(f64, usize)]) {
    let (lower, upper) = lanes.split_at_mut(lanes.len() / 2);
    if lower.is_empty() {
        return;
    }
    sort(lower);
    sort(upper);
    lower.iter_mut().zip(upper.iter_mut().rev()).for_each(exchange);
    clean(lower);
    clean(upper);
}

/// Sorts lanes that rise and then fall, or the other way round.
fn clean(lanes: &mut [(f64, usize)]) {
    let (lower, upper) = lanes.split_at_mut(lanes.len() / 2);
    if lower.is_empty() {
        return;
    }
    lower.iter_mut().zip(upper.iter_mut()).for_each(exchange);
    clean(lower);
    clean(upper);
}

/// Puts the lower score first; equal ones stay where they are.
fn exchange((left, right): (&mut (f64, usize), &mut (f64, usize))) {
    if left.0 > right.0 {
        std::mem::swap(left, right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_come_out_as_the_network_leaves_them() {
        assert_eq!(
            ascending(&[1.0, 0.5, 0.0, 0.0, 0.5, 1.0, 0.0, 0.5, 0.0, 0.5]),
            [3, 2, 6, 8, 7, 4, 9, 1, 5, 0]
        );
        assert!(ascending(&[0.0; 40]).into_iter().eq(0..40));
    }

    #[test]
    fn every_number_of_scores_is_sorted() {
        for count in 0..=80 {
            let scores: Vec<f64> = (0..count).map(|index| f64::from(index * 37 % 11)).collect();
            let order = ascending(&scores);
            assert!(order.is_sorted_by_key(|&position| scores[position]), "{count} scores");
            let distinct: std::collections::BTreeSet<_> = order.into_iter().collect();
            assert_eq!(distinct.len(), scores.len());
        }
    }
}
