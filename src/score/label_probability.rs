//! How likely each candidate's answer is among those of its sample.

use crate::infer::Candidate;

/// Σ nll of each answer, in nats.
pub(super) fn answer_nats(candidates: &[Candidate]) -> Vec<f64> {
    candidates.iter().map(Candidate::answer_nll_nats).collect()
}

/// −ln of each answer's probability among these, in nats: softmax over −Σ nll.
pub(super) fn normalized_nats(nats: &[f64]) -> Vec<f64> {
    let least = nats.iter().copied().fold(f64::INFINITY, f64::min);
    let sum: f64 = nats.iter().map(|own| (least - own).exp()).sum();
    nats.iter().map(|own| own - least + sum.ln()).collect()
}

/// −ln of the mean of probabilities that are given as −ln, place by place.
pub(super) fn mean_of_probabilities(rounds: &[Vec<f64>]) -> Vec<f64> {
    let places = rounds.first().map_or(0, Vec::len);
    let mean = |place: usize| {
        let sum: f64 =
            rounds.iter().filter_map(|round| round.get(place)).map(|nats| (-nats).exp()).sum();
        -(sum / rounds.len() as f64).ln()
    };
    (0..places).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_to_one_however_unlikely_all_are() {
        for nats in [vec![0.5, 1.5, 3.0], vec![2000.0, 2001.0], vec![0.0]] {
            let sum: f64 = normalized_nats(&nats).iter().map(|own| (-own).exp()).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{nats:?}");
        }
    }

    #[test]
    fn means_are_of_probabilities_and_not_of_logarithms() {
        let rounds = [vec![0.9_f64, 0.1], vec![0.3, 0.7]]
            .map(|round| round.iter().map(|p| -p.ln()).collect());
        let mean = mean_of_probabilities(&rounds);
        assert!(((-mean[0]).exp() - 0.6).abs() < 1e-12 && ((-mean[1]).exp() - 0.4).abs() < 1e-12);
    }
}
