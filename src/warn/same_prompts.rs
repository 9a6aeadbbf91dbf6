//! Samples that are all asked with the same text: the template shows nothing that differs between rows.
//!
//! `'{}'`, `'{0}'` and `'{{question}}'` are such templates, because only a column's name in single braces is filled in. It is about all
//! samples together, so `view`, which looks at one, does not tell it.

use super::{kind::Finding, subject::Subject};
use crate::infer::Prepared;

/// Told where rows differ in what the config calls their question.
pub(super) fn find(subject: &Subject<'_>, samples: &[Prepared]) -> Option<Finding> {
    let (first, others) = samples.split_first()?;
    let columns = subject.task.input_columns;
    let asked = |prepared: &Prepared| {
        let row = subject.task.test.get(prepared.sample);
        columns.iter().map(|column| row.and_then(|row| row.get(column))).collect::<Vec<_>>()
    };
    let row = asked(first);
    if others.iter().all(|other| asked(other) == row) {
        return None;
    }
    let texts = |prepared: &Prepared| -> Vec<_> {
        prepared.own_prompts().map(|prompt| prompt.text.clone()).collect()
    };
    let text = texts(first);
    let is_same =
        !others.is_empty() && !text.is_empty() && others.iter().all(|other| texts(other) == text);
    is_same.then(|| {
        Finding::new(
            "every sample is asked with the same text, so all get the same answer: the template shows no column \
             that differs between rows; a field is a column's name in single braces, as in {question}",
        )
    })
}
