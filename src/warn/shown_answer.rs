//! Answers that are shown where the model is to find them.

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::python::python_str;

/// The output column, filled into what is asked: in the prompt that is continued, or in every candidate.
/// Examples show theirs rightly, and so do the turns of a dialogue after they were asked.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let Some(column) = subject.task.output_column else { return Vec::new() };
    let has_answer = asked.row.get(column).is_some_and(|gold| !python_str(gold).trim().is_empty());
    if asked.prepared.dialogue.is_some() || !has_answer || !subject.own_text(asked).shows_gold {
        return Vec::new();
    }
    let message = if subject.generates() {
        format!(
            "the answer is in the prompt: {{{column}}} is filled in where the model is to give it"
        )
    } else {
        format!("the answer is in every candidate: {{{column}}} is filled in")
    };
    vec![Finding::about(column, message)]
}
