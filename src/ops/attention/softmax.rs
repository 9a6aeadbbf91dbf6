//! From a row's scores to its weights.

use std::ops::Range;

use super::exponentials::put_exponentials;
use super::position_slopes::PositionSlope;
use crate::ops::curves;
use crate::ops::simd::{InstructionSet, vectorised};
use crate::ops::tile::VECTOR;

/// What happens to a row's scores before the softmax.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    /// cap · tanh(score / cap).
    pub(super) soft_cap: Option<f32>,
    /// Added by the position of a key.
    pub(super) slope: Option<PositionSlope>,
    /// The position of the first score's key.
    pub(super) first_key: usize,
    /// A further logit in the denominator.
    pub(super) sink: Option<f32>,
}

/// Replaces the `visible` scores by exp(score − highest) and returns the sum of these.
///
/// Scores around them, up to whole vectors, become zero. The sum has 16 parts, one for each
/// remainder of a key's place, so it only depends on the visible scores and their places.
pub(super) fn softmax(
    instructions: InstructionSet,
    scores: &mut [f32],
    visible: Range<usize>,
    curve: Curve,
) -> f32 {
    let whole = visible.start / VECTOR * VECTOR..visible.end.next_multiple_of(VECTOR);
    let highest = prepare(scores, visible, whole.clone(), curve);
    let mut sums = [0f32; VECTOR];
    let vectors = scores[whole].as_chunks_mut::<VECTOR>().0;
    put_exponentials(instructions, vectors, highest, &mut sums);
    let sink = curve.sink.map_or(0.0, |sink| curves::exp(sink - highest));
    sums.iter().sum::<f32>() + sink
}

vectorised! {
    /// Does to the `visible` scores what comes before the softmax, puts −∞ around them, up to the `whole`
    /// vectors, and returns the highest.
    fn prepare(
        scores: &mut [f32],
        visible: Range<usize>,
        whole: Range<usize>,
        curve: Curve,
    ) -> f32 {
        scores[whole.start..visible.start].fill(f32::NEG_INFINITY);
        scores[visible.end..whole.end].fill(f32::NEG_INFINITY);
        if let Some(cap) = curve.soft_cap {
            let inverse = 1.0 / cap;
            for score in &mut scores[visible.clone()] {
                *score = cap * curves::tanh(*score * inverse);
            }
        }
        if let Some(slope) = curve.slope {
            for (place, score) in visible.clone().zip(&mut scores[visible]) {
                *score += slope.bias((curve.first_key + place) as f32);
            }
        }
        let mut highest = [f32::NEG_INFINITY; VECTOR];
        for vector in scores[whole].as_chunks::<VECTOR>().0 {
            for (highest, &score) in highest.iter_mut().zip(vector) {
                *highest = if score > *highest { score } else { *highest };
            }
        }
        let start = curve.sink.unwrap_or(f32::NEG_INFINITY);
        highest.into_iter().fold(start, f32::max)
    }
}
