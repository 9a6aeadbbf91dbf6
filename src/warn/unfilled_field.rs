//! Fields of a template that no column fills in. OpenCompass leaves them in the prompt, as they are written.

use super::{
    fields,
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::{config::nearest, dataset::Sample, tasks::TaskPlan};

/// Most columns that are listed where none has a similar name.
const LISTED_COLUMNS: usize = 12;

/// Every such field once, in what is asked and in the examples before it.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    if let Some(task) = subject.dataset.task.as_deref() {
        return word_of_task(task, asked.row).into_iter().collect();
    }
    let own = subject.own_text(asked);
    let mut found: Vec<Finding> = own
        .unfilled
        .iter()
        .filter(|field| is_meant(field, asked.row))
        .map(|field| finding(field, asked.row, "the text"))
        .collect();
    for (number, (index, row)) in subject.examples(asked).into_iter().enumerate() {
        for field in subject.unfilled_in_example(index, row) {
            let is_known = found.iter().any(|known| known.field.as_ref() == Some(field));
            if !is_known && is_meant(field, row) {
                found.push(finding(field, row, &format!("in-context example {}", number + 1)));
            }
        }
    }
    found
}

/// A task's question that is the name of no column, and so the same word for every row.
fn word_of_task(task: &TaskPlan, row: &Sample) -> Option<Finding> {
    let word = task.doc_to_text.as_ref()?.word()?;
    if row.get(word).is_some() {
        return None;
    }
    let near = nearest(word, row.iter().map(|(name, _)| name));
    let hint = near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
    let told =
        format!("doc_to_text is '{word}', which is no column: every question is this word{hint}");
    Some(Finding::about(word, told))
}

/// Whether it can only be a field: a plain name, or one of a column with what Python's formatting knows.
fn is_meant(field: &str, row: &Sample) -> bool {
    let plain = fields::plain(field);
    plain == field || row.get(fields::column(plain)).is_some()
}

fn finding(field: &str, row: &Sample, place: &str) -> Finding {
    let plain = fields::plain(field);
    if plain != field {
        let what = format!("{place} still says {{{field}}}, because only {{{plain}}} is filled in");
        return Finding::about(field, what);
    }
    let name = fields::column(field);
    let columns = || row.iter().map(|(column, _)| column);
    let hint = if columns().any(|column| column == field) {
        "a column of that name exists, but this template does not fill it in here".to_owned()
    } else if columns().any(|column| column == name) {
        format!("the column {name} has no such part")
    } else if let Some(near) = nearest(name, columns()) {
        let part = &field[name.len()..];
        format!("did you mean {{{near}{part}}}?")
    } else {
        let mut listed: Vec<&str> = columns().take(LISTED_COLUMNS).collect();
        listed.extend((columns().count() > LISTED_COLUMNS).then_some("…"));
        format!("there are {}", listed.join(", "))
    };
    Finding::about(
        field,
        format!("{place} still says {{{field}}}, because no row fills it in: {hint}"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_hint_names_what_was_likely_meant() {
        let row =
            Sample::new(vec![("question".into(), json!("1+1")), ("choices".into(), json!(["a"]))]);
        let told = |field: &str| finding(field, &row, "the text").message;
        assert!(told("qestion").ends_with("did you mean {question}?"));
        assert!(told("choises[0]").ends_with("did you mean {choices[0]}?"));
        assert!(told("choices.label").ends_with("the column choices has no such part"));
        assert!(told("question").contains("does not fill it in here"));
        assert!(told("xyz").ends_with("there are question, choices"));
        for field in [" question ", "question!r", "question:>5", "choices[0]!s"] {
            assert!(is_meant(field, &row), "{field}");
            assert!(told(field).contains("is filled in"), "{field}");
        }
        assert!(told(" question ").ends_with("only {question} is filled in"));
        assert!(!is_meant("answer: one word", &row) && is_meant("answer", &row));
    }
}
