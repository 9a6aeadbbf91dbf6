//! Equal texts that show other images: a file was changed between two runs.

use super::{Cause, CauseKind, Evidence};
use crate::{diff::pair::RequestPair, report::grouped};

/// Counts log-likelihoods that differ, or else texts that were written otherwise: what images that are not the same may explain.
pub(super) fn cause(evidence: &Evidence<'_>) -> Option<Cause> {
    let requests = || evidence.requests().filter(|(_, own)| own.has_same_text());
    let is_shown = |own: &&RequestPair<'_>| own.has_other_images();
    let shown = requests().filter(|(_, own)| own.has_other_images()).count();
    if shown == 0 {
        return None;
    }
    let differing: Vec<&RequestPair<'_>> = if evidence.quantity.is_some() {
        evidence.moved().into_iter().map(|own| own.request).collect()
    } else {
        let is_written_otherwise =
            |own: &&RequestPair<'_>| own.left.generated != own.right.generated;
        requests().map(|(_, own)| own).filter(is_written_otherwise).collect()
    };
    let explained = differing.iter().copied().filter(is_shown).count();
    let sentence = format!(
        "Other images: the texts are equal, and {} of {} prompts show files that are not the same, byte for byte, on both sides.",
        grouped(shown),
        grouped(requests().count())
    );
    // What did not change an answer is still another question.
    let of = differing.len();
    let (explained, of) = if of == 0 { (shown, shown) } else { (explained, of) };
    Some(Cause { kind: CauseKind::Images, sentence, explained, of })
}
