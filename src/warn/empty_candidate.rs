//! A candidate without an answer, or without a surprisal: nothing of it is surprising, so it is always chosen.

use serde_json::Value as Json;

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::infer::PreparedPrompt;

/// The first candidate whose text is empty, has no token that is scored, or ends where the answers of the others
/// begin because a cell is empty; and a text on its own of which no token is scored.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let is_empty = |column: &&String| asked.row.get(column).is_some_and(holds_empty_text);
    let empty_column = subject.filled_columns.iter().find(is_empty);
    if let [alone] = asked.prepared.prompts.as_slice()
        && !subject.generates()
        && is_unscored(subject, alone)
    {
        return vec![Finding::new(
            "the text has no token that is scored, since nothing stands before its first one; its surprisal is 0",
        )];
    }
    let candidates: Vec<&PreparedPrompt> = asked.candidates().collect();
    let mut found = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let text = candidate.text.trim_end();
        let label = candidate.label.as_ref().map_or_else(String::new, ToString::to_string);
        let is_shared = || {
            let mut others = candidates.iter().enumerate().filter(|(other, _)| *other != index);
            others.all(|(_, other)| other.text.starts_with(text))
        };
        if text.is_empty() && !is_unscored(subject, candidate) {
            found.push(Finding::new(format!(
                "candidate {label} is nothing but white space, and may be chosen for that"
            )));
        } else if text.is_empty() {
            found.push(Finding::new(format!(
                "candidate {label} has no text, so it has no surprisal and is always chosen"
            )));
        } else if is_unscored(subject, candidate) {
            found.push(Finding::new(format!(
                "candidate {label} has no token that is scored, since nothing stands before its first one, and is \
                 always chosen"
            )));
        } else if let Some(column) = empty_column
            && is_shared()
        {
            found.push(Finding::about(
                column,
                format!(
                    "the cell of column {column} is empty, so candidate {label} ends where the answers of the \
                     others begin, and may be chosen for that"
                ),
            ));
        }
    }
    found.truncate(1);
    found
}

/// Whether a cell is empty, or one of its parts.
fn holds_empty_text(cell: &Json) -> bool {
    match cell {
        Json::String(text) => text.trim().is_empty(),
        Json::Array(parts) => parts.iter().any(holds_empty_text),
        Json::Object(parts) => parts.values().any(holds_empty_text),
        _ => false,
    }
}

/// Whether none of its tokens has a surprisal: a text's first token has none. Of a text whose tokens only a server knows
/// it is found out when the server has told them.
fn is_unscored(subject: &Subject<'_>, prompt: &PreparedPrompt) -> bool {
    let is_served = subject.task.tokenizer.measured_tokens("").is_some();
    let is_unknown = is_served && !prompt.text.is_empty();
    !is_unknown && prompt.ids.len() <= prompt.context_tokens.max(1)
}
