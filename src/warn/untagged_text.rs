//! Text beside the pieces of a row for a multimodal template: AISBench's form has no place for it.

use super::{
    kind::Finding,
    own_text::prompts,
    subject::{Asked, Subject},
};
use crate::prompt::{Prompt, untagged};

/// A row of pieces with something that has no tag at its very start, which no prompt shows.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let rest = untagged(asked.row);
    let Some(first) = rest.first() else { return Vec::new() };
    if !prompts(subject, asked, asked.row).iter().any(Prompt::shows_media) {
        return Vec::new();
    }
    let start: String = first.chars().take(40).collect();
    vec![Finding::new(format!(
        "the row says {start:?} without a tag at its start, such as <AIS_TEXT_START>, and no prompt shows it"
    ))]
}
