//! Pieces of a row that no prompt shows: the template's `prompt_mm` has an entry for their kind, and no place in it.

use super::{
    kind::Finding,
    own_text::prompts,
    subject::{Asked, Subject},
};
use crate::prompt::{Prompt, pieces};

/// The first piece of each kind that is in none of the prompts.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let pieces = pieces(asked.row);
    if pieces.is_empty() {
        return Vec::new();
    }
    let prompts = prompts(subject, asked, asked.row);
    if !prompts.iter().any(Prompt::shows_media) {
        return Vec::new();
    }
    let mut found: Vec<Finding> = Vec::new();
    for (field, said) in pieces {
        // What has a field in it may stand there filled in, which is told of by itself.
        let is_shown = |prompt: &Prompt| said.contains('{') || prompt.shows(&said);
        if found.iter().any(|known| known.field.as_deref() == Some(field))
            || prompts.iter().all(is_shown)
        {
            continue;
        }
        let start: String = said.chars().take(40).collect();
        found.push(Finding::about(
            field,
            format!("the row has {start:?} for {{{field}}}, and a prompt shows it nowhere: put {{{field}}} into the template's prompt_mm"),
        ));
    }
    found
}
