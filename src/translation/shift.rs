//! Moving a run of words to where the reference has it, which TER counts as one edit.
//!
//! The rules are those of Tercom, as sacreBLEU has them: which runs may be moved, where to, and which move is the best.

use std::cmp::Reverse;

use super::word_edits::{Edit, Edits};

/// The longest run that is moved.
const LONGEST: usize = 10;

/// How far it is moved at most.
const FARTHEST: usize = 50;

/// After so many moves that were tried the search ends.
pub(super) const MOST_TRIED: usize = 1000;

/// A move, its fields in the order by which moves are compared.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shift<'w> {
    /// How many edits it saves; below zero where it costs some.
    pub(super) saved: isize,
    length: usize,
    from: Reverse<usize>,
    to: Reverse<usize>,
    /// The words behind the move.
    pub(super) words: Vec<&'w str>,
}

/// Where each word of the reference stands among the written ones, and which words are not as they should be.
#[derive(Default)]
struct Alignment {
    /// The place of the written word; none before the first.
    of_reference: Vec<Option<usize>>,
    is_reference_wrong: Vec<bool>,
    is_written_wrong: Vec<bool>,
}

impl Alignment {
    fn of(path: &[Edit]) -> Self {
        let mut own = Self::default();
        for edit in path {
            let is_wrong = *edit != Edit::Keep;
            if *edit != Edit::Insert {
                own.is_written_wrong.push(is_wrong);
            }
            if *edit != Edit::Delete {
                own.is_reference_wrong.push(is_wrong);
                own.of_reference.push(own.is_written_wrong.len().checked_sub(1));
            }
        }
        own
    }

    /// Whether a move is worth a trial: words at both ends are wrong, and it leads out of the run.
    fn allows(&self, from: usize, target: usize, length: usize) -> bool {
        let any =
            |wrong: &[bool], from: usize| wrong.iter().skip(from).take(length).any(|wrong| *wrong);
        let aligned = self.of_reference.get(target).copied().flatten();
        any(&self.is_written_wrong, from)
            && any(&self.is_reference_wrong, target)
            && !aligned.is_some_and(|aligned| (from..from + length).contains(&aligned))
    }

    /// Where a run may be put: before the word at the target, then behind it and each of those that follow.
    fn places(&self, target: usize, length: usize) -> Vec<usize> {
        let mut places = Vec::new();
        for word in target..=target + length {
            let place = match word.checked_sub(1) {
                None => 0,
                Some(word) => match self.of_reference.get(word) {
                    Some(aligned) => aligned.map_or(0, |aligned| aligned + 1),
                    None => break,
                },
            };
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
        places
    }
}

/// The best move, if there is any; `tried` counts on.
pub(super) fn best<'w>(
    written: &[&'w str],
    reference: &[&str],
    edits: &Edits,
    tried: &mut usize,
) -> Option<Shift<'w>> {
    let alignment = Alignment::of(&edits.path());
    let mut best: Option<Shift<'w>> = None;
    for (from, target, length) in runs(written, reference) {
        if !alignment.allows(from, target, length) {
            continue;
        }
        for to in alignment.places(target, length) {
            let words = moved(written, from, length, to);
            let own = Edits::of(&words, reference, Some((edits, written)));
            *tried += 1;
            let saved = edits.count().cast_signed() - own.count().cast_signed();
            let shift = Shift { saved, length, from: Reverse(from), to: Reverse(to), words };
            if best.as_ref().is_none_or(|best| shift > *best) {
                best = Some(shift);
            }
        }
        if *tried >= MOST_TRIED {
            break;
        }
    }
    best
}

/// Runs of words that both have: where they begin, here and there, and how long they are.
fn runs(written: &[&str], reference: &[&str]) -> Vec<(usize, usize, usize)> {
    let mut runs = Vec::new();
    for from in 0..written.len() {
        for target in 0..reference.len() {
            if from.abs_diff(target) > FARTHEST {
                continue;
            }
            let pairs = written.iter().skip(from).zip(reference.iter().skip(target));
            let same = pairs.take(LONGEST).take_while(|(own, other)| own == other).count();
            runs.extend((1..=same).map(|length| (from, target, length)));
        }
    }
    runs
}

fn moved<'w>(words: &[&'w str], from: usize, length: usize, to: usize) -> Vec<&'w str> {
    let part = |from: usize, to: usize| words.iter().take(to).skip(from).copied();
    let (behind, end) = (from + length, words.len());
    let run = part(from, behind);
    if to < from {
        part(0, to).chain(run).chain(part(to, from)).chain(part(behind, end)).collect()
    } else if to > behind {
        part(0, from).chain(part(behind, to)).chain(run).chain(part(to, end)).collect()
    } else {
        // Within the run, it goes as far to the right.
        let to = length + to;
        part(0, from).chain(part(behind, to)).chain(run).chain(part(to, end)).collect()
    }
}
