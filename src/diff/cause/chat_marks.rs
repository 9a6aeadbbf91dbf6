//! One side writes roles as a chat template does, the other as plain text or as another template does.

use std::collections::BTreeSet;

use super::{Cause, CauseKind, Evidence, commonest};
use crate::report::grouped;

/// Marks of roles that are no `<|…|>`.
const MARKS: &[&str] = &[
    "[INST]",
    "[/INST]",
    "<start_of_turn>",
    "<end_of_turn>",
    "### Human:",
    "### Assistant:",
    "### Instruction:",
    "### Response:",
    "USER:",
    "ASSISTANT:",
    "<reserved_106>",
    "<reserved_107>",
];

/// What encloses the marks of most templates.
const ENCLOSED: &[(&str, &str)] = &[("<|", "|>"), ("<｜", "｜>")];

/// What is enclosed like a mark and says nothing of roles.
const NO_ROLE: &[&str] = &["endoftext", "begin_of_text", "end_of_text"];

/// A mark has at most so many bytes within.
const MOST_MARK_BYTES: usize = 40;

/// Looks for marks that only one side has.
pub(super) fn cause(evidence: &Evidence<'_>) -> Option<Cause> {
    let differing = evidence.differing();
    let of_sides = |(_, own): &super::OfPair<'_>| {
        let sides = [marks(&own.left.text), marks(&own.right.text)];
        (sides[0] != sides[1]).then_some(sides)
    };
    let found: Vec<[BTreeSet<String>; 2]> = differing.iter().filter_map(of_sides).collect();
    let (is_on_one_side, explained) =
        commonest(found.iter().map(|sides| [sides[0].is_empty(), sides[1].is_empty()]))?;
    let example =
        found.iter().find(|sides| [sides[0].is_empty(), sides[1].is_empty()] == is_on_one_side)?;
    let listed = |side: usize| {
        let named: Vec<&str> = example[side].iter().map(String::as_str).take(3).collect();
        named.join(" ")
    };
    let counts =
        format!("in {} of {} prompts that differ", grouped(explained), grouped(differing.len()));
    let sentence = match is_on_one_side {
        [false, false] => format!(
            "Another chat template: {} writes {} and {} writes {}, {counts}.",
            evidence.name(0),
            listed(0),
            evidence.name(1),
            listed(1)
        ),
        [is_left_plain, _] => {
            let side = usize::from(is_left_plain);
            format!(
                "The chat template: only {} marks roles ({}), {counts}.",
                evidence.name(side),
                listed(side)
            )
        }
    };
    Some(Cause { kind: CauseKind::ChatTemplate, sentence, explained, of: differing.len() })
}

/// The marks of a text, each once.
fn marks(text: &str) -> BTreeSet<String> {
    let mut found: BTreeSet<String> =
        MARKS.iter().filter(|mark| text.contains(**mark)).map(|mark| (*mark).to_owned()).collect();
    for (open, close) in ENCLOSED {
        for piece in text.split(open).skip(1) {
            let Some((name, _)) = piece.split_once(close) else { continue };
            let is_name = name.len() <= MOST_MARK_BYTES && !name.contains(char::is_whitespace);
            if is_name && !NO_ROLE.contains(&name) {
                found.insert(format!("{open}{name}{close}"));
            }
        }
    }
    found
}
