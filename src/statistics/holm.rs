//! Several tests at once, each made to answer for all.

/// Holm's adjusted p-values: who calls those at most 5 % real errs in 5 % of all families at most,
/// whatever the tests have to do with each other. A p that is no number counts as 1.
///
/// The k-th smallest of m is multiplied by m − k + 1, never less than the one before, at most 1; as
/// statsmodels' `multipletests(p, method="holm")`. See S. Holm, "A Simple Sequentially Rejective
/// Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979), 65–70.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let known = |p: f64| if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) };
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| known(p[a]).total_cmp(&known(p[b])));
    let mut adjusted = vec![1.0; p.len()];
    let mut floor = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        floor = floor.max(known(p[index]) * (p.len() - rank) as f64).min(1.0);
        adjusted[index] = floor;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_answers_for_all() {
        assert_eq!(holm(&[0.5, 0.01, 0.03]), [0.5, 0.03, 0.06]);
    }

    #[test]
    fn none_falls_below_a_smaller_one() {
        assert_eq!(holm(&[0.02, 0.02, 0.03]), [0.06, 0.06, 0.06]);
    }

    #[test]
    fn what_is_no_number_is_no_evidence() {
        assert_eq!(holm(&[f64::NAN, 0.25]), [1.0, 0.5]);
        assert!(holm(&[]).is_empty());
    }
}
