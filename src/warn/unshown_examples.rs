//! In-context examples that were retrieved and that the template has no place for. Of a `ChatInferencer` a note of its own tells it.

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};

/// Rows that a retriever chose for a dialogue whose template leaves them out.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let retrieved = subject.task.examples.get(asked.prepared.sample).map_or(0, Vec::len);
    if retrieved == 0 || !subject.task.assembly.ignores_examples() {
        return Vec::new();
    }
    vec![Finding::new(format!(
        "in-context examples were retrieved, {retrieved} of them, and the prompt shows none: dialogues have no place for them, as in OpenCompass \
         and AISBench; use a ZeroRetriever, or a ChoicesTemplate or PromptTemplate with an ice_token"
    ))]
}
