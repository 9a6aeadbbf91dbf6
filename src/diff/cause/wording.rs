//! The same words everywhere stand in place of others: an instruction, a heading, a name of the answer.

use super::{Cause, CauseKind, Evidence, commonest};
use crate::report::grouped;

/// Longer words are not told in full.
const MOST_CHARS: usize = 60;

/// Compares what is left of prompts without their common beginning and end.
pub(super) fn cause(evidence: &Evidence<'_>) -> Option<Cause> {
    let differing = evidence.differing();
    if differing.len() < 2 {
        return None;
    }
    let middles = differing.iter().map(|(_, own)| middles(&own.left.text, &own.right.text));
    let found = middles.filter(|own| own.iter().any(|own| !own.trim().is_empty()));
    let ([own, other], explained) = commonest(found)?;
    if explained < 2 {
        return None;
    }
    let sentence = format!(
        "Another wording: {} where {} has {}, and nothing else, in {} of {} prompts that differ.",
        shown(&own, evidence.name(0)),
        evidence.name(1),
        if other.is_empty() { "nothing".to_owned() } else { quoted(&other) },
        grouped(explained),
        grouped(differing.len())
    );
    Some(Cause { kind: CauseKind::Wording, sentence, explained, of: differing.len() })
}

fn shown(text: &str, name: &str) -> String {
    match text {
        "" => format!("{name} has nothing"),
        text => format!("{name} has {}", quoted(text)),
    }
}

fn quoted(text: &str) -> String {
    if text.chars().count() <= MOST_CHARS {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(MOST_CHARS).collect();
    format!("{start:?}…")
}

/// What differs, without what both have before and behind it.
fn middles(left: &str, right: &str) -> [String; 2] {
    let sides = [left, right].map(|text| text.chars().collect::<Vec<char>>());
    let same = |pairs: &mut dyn Iterator<Item = (&char, &char)>| {
        pairs.take_while(|(own, other)| own == other).count()
    };
    let before = same(&mut sides[0].iter().zip(&sides[1]));
    let most = sides[0].len().min(sides[1].len()) - before;
    let behind = same(&mut sides[0].iter().rev().zip(sides[1].iter().rev())).min(most);
    sides.map(|own| own.iter().take(own.len() - behind).skip(before).collect())
}
