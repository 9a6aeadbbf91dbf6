//! Drawing a token instead of taking the likeliest.
//!
//! Filters work as the logits warpers of Hugging Face transformers do, and in their order:
//! temperature, top-k, top-p, min-p. Every draw has random numbers of its own, made from the request's
//! seed and the number of the draw: a sample depends on nothing that is generated beside it.

use rand_mt::Mt64;

/// How tokens are drawn.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sampling {
    /// Logits are divided by it; at 0 the likeliest token is taken.
    pub temperature: f64,
    /// Only tokens at least as likely as the `top_k`-th are drawn; `None` or 0 for all.
    pub top_k: Option<usize>,
    /// The least likely tokens are dropped for as long as their probabilities sum to at most
    /// 1 − `top_p`; the likeliest always stays.
    pub top_p: Option<f64>,
    /// Tokens below `min_p` times the likeliest one's probability are dropped.
    pub min_p: Option<f64>,
    /// Two requests with the same prompt and seed get the same tokens.
    pub seed: u64,
}

impl Sampling {
    /// Whether the likeliest token is always taken.
    pub fn is_greedy(&self) -> bool {
        self.temperature <= 0.0
    }

    /// Draws the token number `draw` of a continuation; none of `banned`.
    ///
    /// `None` if a logit is not a number or no token is left.
    pub fn draw(&self, logits: &[f32], banned: &[u32], draw: usize) -> Option<u32> {
        if logits.iter().any(|logit| logit.is_nan()) {
            return None;
        }
        let candidates = self.candidates(logits, banned);
        let total: f64 = candidates.iter().map(|(_, weight)| weight).sum();
        let mut left = self.uniform(draw) * total;
        let drawn = candidates.iter().find(|(_, weight)| {
            left -= weight;
            left < 0.0
        });
        // Rounding can leave a little after the last one.
        drawn.or(candidates.last()).map(|(id, _)| *id)
    }

    /// A number in [0, 1).
    fn uniform(&self, draw: usize) -> f64 {
        let word = Mt64::new_with_key([self.seed, draw as u64]).next_u64();
        // The upper 53 bits, as many as a float holds.
        (word >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The tokens that can be drawn, likeliest first, with weights in proportion to their
    /// probabilities.
    fn candidates(&self, logits: &[f32], banned: &[u32]) -> Vec<(u32, f64)> {
        let mut candidates: Vec<(u32, f64)> = (0u32..)
            .zip(logits)
            .filter(|(id, logit)| logit.is_finite() && !banned.contains(id))
            .map(|(id, logit)| (id, f64::from(*logit) / self.temperature))
            .collect();
        // Of equals the lower id counts as less likely, as in an ascending stable sort.
        let likeliest_first = |one: &(u32, f64), other: &(u32, f64)| {
            other.1.total_cmp(&one.1).then(other.0.cmp(&one.0))
        };
        if let Some(top_k) = self.top_k.filter(|&top_k| 0 < top_k && top_k < candidates.len()) {
            let (_, &mut (_, least), _) =
                candidates.select_nth_unstable_by(top_k - 1, likeliest_first);
            candidates.retain(|(_, logit)| *logit >= least);
        }
        candidates.sort_unstable_by(likeliest_first);
        let highest = candidates.first().map_or(0.0, |(_, logit)| *logit);
        for (_, weight) in &mut candidates {
            *weight = (*weight - highest).exp();
        }
        if let Some(top_p) = self.top_p.filter(|top_p| *top_p < 1.0) {
            let total: f64 = candidates.iter().map(|(_, weight)| weight).sum();
            let mut dropped = 0.0;
            while let [_, .., (_, least)] = candidates.as_slice()
                && dropped + least <= (1.0 - top_p) * total
            {
                dropped += least;
                candidates.pop();
            }
        }
        if let Some(min_p) = self.min_p {
            let least = min_p * candidates.first().map_or(0.0, |(_, weight)| *weight);
            let count = candidates.iter().take_while(|(_, weight)| *weight >= least).count();
            candidates.truncate(count.max(1));
        }
        candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Sampling =
        Sampling { temperature: 1.0, top_k: None, top_p: None, min_p: None, seed: 0 };

    /// Logits of the probabilities 0.1, 0.4, 0.2, 0.25, 0.05.
    fn logits() -> Vec<f32> {
        [0.1f32, 0.4, 0.2, 0.25, 0.05].iter().map(|probability| probability.ln()).collect()
    }

    fn ids(sampling: Sampling) -> Vec<u32> {
        sampling.candidates(&logits(), &[]).iter().map(|(id, _)| *id).collect()
    }

    #[test]
    fn filters_keep_what_transformers_keeps() {
        assert_eq!(ids(PLAIN), [1, 3, 2, 0, 4]);
        assert_eq!(ids(Sampling { top_k: Some(2), ..PLAIN }), [1, 3]);
        assert_eq!(ids(Sampling { top_k: Some(9), ..PLAIN }), [1, 3, 2, 0, 4]);
        // Cumulated from below: 0.05, 0.15, 0.35, 0.6, 1.
        assert_eq!(ids(Sampling { top_p: Some(0.8), ..PLAIN }), [1, 3, 2]);
        assert_eq!(ids(Sampling { top_p: Some(0.0), ..PLAIN }), [1]);
        assert_eq!(ids(Sampling { min_p: Some(0.45), ..PLAIN }), [1, 3, 2]);
        // Top-p sees what top-k left: 0.2, 0.25, 0.4 of 0.85.
        assert_eq!(ids(Sampling { top_k: Some(3), top_p: Some(0.76), ..PLAIN }), [1, 3]);
        // A low temperature sharpens before anything is dropped: 0.16, 0.0625, 0.04, … of 0.275.
        assert_eq!(ids(Sampling { temperature: 0.5, top_p: Some(0.8), ..PLAIN }), [1, 3]);
        let equal = Sampling { top_k: Some(1), ..PLAIN }.candidates(&[2.0, 2.0, 1.0], &[]);
        assert_eq!(equal, [(1, 1.0), (0, 1.0)]);
    }

    #[test]
    fn draws_depend_on_seed_and_number_alone() {
        let draws = |seed| {
            let sampling = Sampling { seed, ..PLAIN };
            (0..2000).map(move |draw| sampling.draw(&logits(), &[], draw).unwrap())
        };
        assert!(draws(7).eq(draws(7)));
        assert!(draws(7).ne(draws(8)));
        let mut counts = [0i32; 5];
        draws(7).for_each(|id| counts[id as usize] += 1);
        for (count, expected) in counts.into_iter().zip([200, 800, 400, 500, 100]) {
            assert!((count - expected).abs() < expected / 4 + 20, "{counts:?}");
        }
        assert_eq!(PLAIN.draw(&logits(), &[0, 1, 2, 3], 5), Some(4));
        assert_eq!(PLAIN.draw(&logits(), &[0, 1, 2, 3, 4], 5), None);
        assert_eq!(PLAIN.draw(&[0.0, f32::NAN], &[], 0), None);
    }
}
