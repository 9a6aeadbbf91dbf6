//! Log-likelihoods of equal prompts that differ: a little, as rounding does, or a lot, as other weights do.

use super::{Cause, CauseKind, Evidence, Moved};
use crate::report::grouped;

/// Rounding moves a log-likelihood by at most so much of itself, or of a nat.
const MOST_SHARE: f64 = 0.02;

/// Looks at equal prompts only.
pub(super) fn causes(evidence: &Evidence<'_>) -> Vec<Cause> {
    let all = evidence.of_equal_texts();
    let is_moved = |own: &&Moved<'_>| own.difference.abs() > evidence.tolerance;
    let has_other_ids = |own: &&Moved<'_>| own.request.has_same_ids() == Some(false);
    // Other ids and other images are another question, and what was cut is told by the run.
    let is_cut = |own: &&Moved<'_>| {
        own.pair.left.cut_tokens != own.pair.right.cut_tokens
            && own.pair.left.cut_tokens.max(own.pair.right.cut_tokens) > 0
    };
    let moved: Vec<&Moved<'_>> = all.iter().filter(is_moved).collect();
    let is_same_question =
        |own: &&&Moved<'_>| !has_other_ids(own) && !own.request.has_other_images() && !is_cut(own);
    let clean: Vec<&&Moved<'_>> = moved.iter().filter(is_same_question).collect();
    let is_small = |own: &&&&Moved<'_>| own.difference.abs() <= MOST_SHARE * own.own.abs().max(1.0);
    let small = clean.iter().filter(is_small).count();
    let large = clean.len() - small;
    let mut sizes: Vec<f64> = moved.iter().map(|own| own.difference.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let median = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
    let most = sizes.last().copied().unwrap_or(0.0);
    let types = match (&evidence.left.settings.dtype, &evidence.right.settings.dtype) {
        (Some(own), Some(other)) if own != other => {
            format!("; {} was computed in {own}, {} in {other}", evidence.name(0), evidence.name(1))
        }
        (Some(own), None) => format!("; {} was computed in {own}", evidence.name(0)),
        _ => String::new(),
    };
    let (of, total) = (moved.len(), grouped(all.len()));
    let noise = (small > 0).then(|| Cause {
        kind: CauseKind::Noise,
        sentence: format!(
            "Rounding, such as another dtype or device: prompts are equal, and {} of {total} log-likelihoods differ a little \
             (median {median:.2e}, at most {most:.2e}){types}.",
            grouped(small)
        ),
        explained: small,
        of,
    });
    let weights = (large > 0).then(|| Cause {
        kind: CauseKind::Weights,
        sentence: format!(
            "Another model, other weights or an adapter: prompts are equal, and {} of {total} log-likelihoods differ by more \
             than rounding does (median {median:.2e}, at most {most:.2e}).",
            grouped(large)
        ),
        explained: large,
        of,
    });
    noise.into_iter().chain(weights).collect()
}
