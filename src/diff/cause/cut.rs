//! Prompts that were cut to a context on one side.

use super::{Cause, CauseKind, Evidence, commonest};
use crate::{
    diff::pair::{Pair, RequestPair},
    report::grouped,
};

/// What shows that a prompt was cut: on which side.
struct Cut {
    /// The side that has less.
    side: usize,
    /// What it lacks, if that is known.
    lacks: Option<String>,
}

/// Looks at texts and ids of which one is the end or the beginning of the other, and at what the run says it has cut.
pub(super) fn cause(evidence: &Evidence<'_>) -> Option<Cause> {
    let quantity = evidence.quantity;
    let is_moved = |own: &RequestPair<'_>| {
        let difference = quantity.and_then(|quantity| own.difference_nats(quantity));
        difference.is_some_and(|own| own.abs() > evidence.tolerance)
    };
    let differs = |own: &RequestPair<'_>| {
        !own.has_same_text() || own.has_same_ids() == Some(false) || is_moved(own)
    };
    let differing: Vec<_> = evidence.requests().filter(|(_, own)| differs(own)).collect();
    let windows = [evidence.left, evidence.right].map(|side| side.settings.window_tokens);
    let cuts: Vec<Cut> =
        differing.iter().filter_map(|(pair, own)| cut(pair, own, windows)).collect();
    let explained = cuts.len();
    // What all lack alike is a wording, and no cut.
    let lacked = cuts.iter().filter_map(|own| own.lacks.clone());
    let is_told = cuts.iter().any(|own| own.lacks.is_none());
    if !is_told && explained > 1 && commonest(lacked)?.1 == explained {
        return None;
    }
    let (side, count) = commonest(cuts.iter().map(|own| own.side))?;
    let sentence = format!(
        "Truncation: {} has only a part of the prompt in {} of {} that differ; look at the context (max_seq_len, \
         max_length) of both sides.",
        evidence.name(side),
        grouped(count),
        grouped(differing.len())
    );
    Some(Cause { kind: CauseKind::Truncation, sentence, explained, of: differing.len() })
}

fn cut(pair: &Pair<'_>, own: &RequestPair<'_>, windows: [Option<usize>; 2]) -> Option<Cut> {
    let told = match (pair.left.cut_tokens > 0, pair.right.cut_tokens > 0) {
        (true, false) => Some(0),
        (false, true) => Some(1),
        _ => None,
    };
    let texts = [own.left.text.as_str(), own.right.text.as_str()];
    if texts[0] == texts[1] {
        let of_ids = || {
            let ids = [own.left.ids.as_deref()?, own.right.ids.as_deref()?];
            let side = usize::from(ids[1].len() < ids[0].len());
            is_cut_of(ids[side], ids[1 - side]).then_some(side)
        };
        let found = told.or_else(of_ids).or_else(|| beyond_window(own, windows));
        return found.map(|side| Cut { side, lacks: None });
    }
    let side = usize::from(texts[1].len() < texts[0].len());
    let (short, long) = (texts[side], texts[1 - side]);
    if short.trim().is_empty() {
        return None;
    }
    let (lacks, is_at_border) = match (long.strip_suffix(short), long.strip_prefix(short)) {
        // Whole lines that are missing are examples.
        (Some(lacks), _) => (lacks, lacks.ends_with('\n')),
        (None, Some(lacks)) => (lacks, false),
        (None, None) => return None,
    };
    if told == Some(side) {
        return Some(Cut { side, lacks: None });
    }
    let is_cut = !is_at_border && !lacks.trim().is_empty();
    is_cut.then(|| Cut { side, lacks: Some(lacks.to_owned()) })
}

/// The side whose window a scored text does not fit into, where it fits into the other's. The last token of a text is scored
/// and never read.
fn beyond_window(own: &RequestPair<'_>, windows: [Option<usize>; 2]) -> Option<usize> {
    let read = own.left.tokens().or(own.right.tokens())?.checked_sub(1)?;
    let is_scored = own.left.generated.is_none() && own.right.generated.is_none();
    let is_beyond = windows.map(|window| window.is_some_and(|window| read > window));
    match is_beyond {
        [true, false] if is_scored => Some(0),
        [false, true] if is_scored => Some(1),
        _ => None,
    }
}

/// Whether ids are the end or the beginning of others, or their first token and their end; a token or two that are
/// missing at the beginning are no cut.
fn is_cut_of(short: &[u32], long: &[u32]) -> bool {
    if short.is_empty() || long.len() < short.len() + 3 {
        return false;
    }
    let is_end = long.ends_with(short);
    let is_end_with_first = match (short.split_first(), long.first()) {
        (Some((own, rest)), Some(first)) => own == first && long.ends_with(rest),
        _ => false,
    };
    is_end || is_end_with_first || long.starts_with(short)
}
