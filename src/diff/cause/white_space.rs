//! Prompts that are equal but for blanks: the delimiter before the answer, between examples, at an end.

use std::fmt;

use super::{Cause, CauseKind, Evidence, commonest};
use crate::{diff::side::Request, report::grouped};

/// Where blanks stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    BeforeAnswer,
    BetweenLines,
    WithinLines,
    Beginning,
    End,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BeforeAnswer => "before the answer",
            Self::BetweenLines => "between lines or examples",
            Self::WithinLines => "within lines",
            Self::Beginning => "at the beginning",
            Self::End => "at the end",
        })
    }
}

/// Blanks that differ: where, and what both sides have.
type Gap = (Place, [String; 2]);

/// Looks at prompts that are equal without blanks.
pub(super) fn cause(evidence: &Evidence<'_>) -> Option<Cause> {
    let differing = evidence.differing();
    let all: Vec<Vec<Gap>> =
        differing.iter().filter_map(|(_, own)| gaps(own.left, own.right)).collect();
    let explained = all.len();
    let per_prompt = all.iter().flat_map(|gaps| {
        let mut kinds = gaps.clone();
        kinds.sort();
        kinds.dedup();
        kinds
    });
    let ((place, [own, other]), count) = commonest(per_prompt)?;
    let is_all = all.iter().flatten().all(|gap| *gap == (place, [own.clone(), other.clone()]));
    let others = if is_all { "" } else { " (and others)" };
    let sentence = format!(
        "White space {place}{others}: {own:?} in {}, {other:?} in {}; {} of {} prompts that differ are equal but for white \
         space, {} of them there.",
        evidence.name(0),
        evidence.name(1),
        grouped(explained),
        grouped(differing.len()),
        grouped(count)
    );
    Some(Cause { kind: CauseKind::WhiteSpace, sentence, explained, of: differing.len() })
}

/// Where blanks differ; nothing if anything else does.
fn gaps(left: &Request, right: &Request) -> Option<Vec<Gap>> {
    let (own, other) = (parted(&left.text), parted(&right.text));
    if own.letters != other.letters {
        return None;
    }
    let letters_before_answer = |request: &Request| {
        let answer = request.answer()?.len();
        let context = request.text.get(..request.text.len() - answer)?;
        Some(context.chars().filter(|own| !own.is_whitespace()).count())
    };
    let answer = letters_before_answer(left).or_else(|| letters_before_answer(right));
    let last = own.letters.len();
    let gap = |(place, (own, other)): (usize, (&String, &String))| -> Option<Gap> {
        let kind = match place {
            _ if own == other => return None,
            _ if Some(place) == answer => Place::BeforeAnswer,
            0 => Place::Beginning,
            _ if place == last => Place::End,
            _ if own.contains('\n') || other.contains('\n') => Place::BetweenLines,
            _ => Place::WithinLines,
        };
        Some((kind, [own.clone(), other.clone()]))
    };
    Some(own.blanks.iter().zip(&other.blanks).enumerate().filter_map(gap).collect())
}

/// A text as letters, and the blanks before each and behind the last.
struct Parted {
    letters: Vec<char>,
    blanks: Vec<String>,
}

fn parted(text: &str) -> Parted {
    let (mut letters, mut blanks) = (Vec::new(), vec![String::new()]);
    for character in text.chars() {
        if character.is_whitespace() {
            if let Some(last) = blanks.last_mut() {
                last.push(character);
            }
        } else {
            letters.push(character);
            blanks.push(String::new());
        }
    }
    Parted { letters, blanks }
}

/// Whether texts are equal but for blanks.
pub(super) fn is_equal_without(left: &str, right: &str) -> bool {
    left.chars()
        .filter(|own| !own.is_whitespace())
        .eq(right.chars().filter(|own| !own.is_whitespace()))
}
