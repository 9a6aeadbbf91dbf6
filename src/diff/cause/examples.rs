//! Another number, order or choice of examples before the same question.

use super::{Cause, CauseKind, Evidence, commonest, white_space};
use crate::report::grouped;

/// How the examples of one prompt differ from those of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Order,
    /// How many blocks stand before the question on both sides.
    Number([usize; 2]),
    Choice,
}

/// Compares prompts block by block; the last one is the question.
pub(super) fn cause(evidence: &Evidence<'_>) -> Option<Cause> {
    let differing = evidence.differing();
    let found: Vec<Change> = differing
        .iter()
        .filter(|(_, own)| !white_space::is_equal_without(&own.left.text, &own.right.text))
        .filter_map(|(_, own)| change(&own.left.text, &own.right.text))
        .collect();
    let explained = found.len();
    let (change, count) = commonest(found.into_iter())?;
    let (left, right) = (evidence.name(0), evidence.name(1));
    let what = match change {
        Change::Order => {
            "Another order of examples: the same blocks stand before the same question".to_owned()
        }
        Change::Number([own, other]) => format!(
            "Another number of examples: {own} blocks before the question in {left}, {other} in {right}"
        ),
        Change::Choice => "Other examples: other blocks stand before the same question".to_owned(),
    };
    let sentence = format!(
        "{what}, in {} of {} prompts that differ.",
        grouped(count),
        grouped(differing.len())
    );
    Some(Cause { kind: CauseKind::Examples, sentence, explained, of: differing.len() })
}

fn change(left: &str, right: &str) -> Option<Change> {
    ["\n\n", "\n"].into_iter().find_map(|delimiter| {
        let (own, other) = (blocks(left, delimiter), blocks(right, delimiter));
        if own.len() < 2 && other.len() < 2 {
            return None;
        }
        let ((question, mut own), (same, mut other)) =
            (own.split_last().map(parts)?, other.split_last().map(parts)?);
        if question != same {
            return None;
        }
        let numbers = [own.len(), other.len()];
        own.sort_unstable();
        other.sort_unstable();
        Some(match () {
            () if own == other => Change::Order,
            () if is_within(&own, &other) || is_within(&other, &own) => Change::Number(numbers),
            // Lines are shared by much that has nothing to do with examples.
            () if delimiter == "\n" || !has_others(&own, &other) => return None,
            () => Change::Choice,
        })
    })
}

fn parts((question, examples): (&String, &[String])) -> (String, Vec<String>) {
    (question.clone(), examples.to_vec())
}

/// The blocks of a text that are not empty, every stretch of blanks being one.
fn blocks(text: &str, delimiter: &str) -> Vec<String> {
    let plain = |block: &str| block.split_whitespace().collect::<Vec<_>>().join(" ");
    text.split(delimiter).map(plain).filter(|block| !block.is_empty()).collect()
}

/// Whether all of the sorted blocks are among the others, as often.
fn is_within(few: &[String], many: &[String]) -> bool {
    let mut rest = many.iter();
    few.iter().all(|own| rest.any(|other| other == own))
}

/// Whether a block is another one, and not one that lost or gained something at an end.
fn has_others(left: &[String], right: &[String]) -> bool {
    let unmatched = |own: &'_ [String], other: &'_ [String]| -> Vec<String> {
        own.iter().filter(|block| !other.contains(block)).cloned().collect()
    };
    let (left, right) = (unmatched(left, right), unmatched(right, left));
    let is_part = |own: &str, other: &str| own.starts_with(other) || own.ends_with(other);
    let is_like = |own: &String, other: &String| is_part(own, other) || is_part(other, own);
    left.iter().any(|own| !right.iter().any(|other| is_like(own, other)))
        || right.iter().any(|own| !left.iter().any(|other| is_like(own, other)))
}
