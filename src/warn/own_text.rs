//! What the templates of a data set write by themselves, whatever a row says.
//!
//! A prompt is built of a row whose texts are empty, in the ordinary way. What is left was written in the
//! template: a `{name}` in it is a field that nothing fills in, whatever the kind of template, and braces
//! in the data are not seen. The gold answer is not emptied but marked with a character that the Unicode
//! standard sets aside for such use; where it turns up, the prompt shows the answer. Rows of the same
//! shape give the same text, so a data set needs few of them.

use serde_json::Value as Json;

use super::{
    fields,
    subject::{Asked, Subject},
};
use crate::{
    dataset::Sample,
    prompt::{Prompt, PromptAssembly, emptied_pieces},
};

/// Stands for the gold answer.
const GOLD: char = '\u{FDD0}';

/// What is known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnText {
    /// Fields that no column fills in, as they are written between the braces.
    pub(super) unfilled: Vec<String>,
    /// Whether the gold answer is in the prompt, or in every candidate.
    pub(super) shows_gold: bool,
}

impl OwnText {
    /// Of a sample's prompts, without examples.
    pub(super) fn of(subject: &Subject<'_>, asked: &Asked<'_>) -> Self {
        let task = subject.task;
        let mut row = emptied(asked.row);
        let output = task.output_column.filter(|column| row.get(column).is_some_and(is_scalar));
        if let Some(column) = output {
            row.set(column, GOLD.to_string().into());
        }
        let texts: Vec<String> =
            prompts(subject, asked, &row).iter().map(Prompt::plain_beside_media).collect();
        Self {
            unfilled: unfilled(&texts),
            shows_gold: !texts.is_empty() && texts.iter().all(|text| text.contains(GOLD)),
        }
    }

    /// The fields that no column fills in when a row is shown as an example.
    pub(super) fn unfilled_in_example(
        assembly: &PromptAssembly,
        row: &Sample,
        gold: &Json,
    ) -> Vec<String> {
        let Some(template) = assembly.ice_template() else { return Vec::new() };
        let written = template.example(&emptied(row), gold);
        unfilled(&written.iter().map(Prompt::plain_beside_media).collect::<Vec<_>>())
    }

    /// What a row is but for its texts: rows that are alike in it have the same text of their own.
    pub(super) fn shape(row: &Sample) -> String {
        let mut shape = String::new();
        for (column, value) in row.iter() {
            shape.push_str(column);
            push_shape(&mut shape, value);
        }
        shape
    }
}

/// The prompts of a sample, or of what its row was made into, without examples.
pub(super) fn prompts(subject: &Subject<'_>, asked: &Asked<'_>, row: &Sample) -> Vec<Prompt> {
    let assembly = subject.task.assembly;
    let no_examples = Prompt::Text(String::new());
    // A template that cannot be filled has stopped the run before.
    if asked.candidates().next().is_none() {
        let mask = if subject.generates() { subject.mask() } else { "" };
        let column = subject.task.output_column;
        return assembly.generation(row, &no_examples, column, mask).into_iter().collect();
    }
    let written = |label| assembly.candidate(row, &no_examples, label, false).ok();
    if let Some(labels) = assembly.labels_of(row) {
        // The labels of the row itself have lost their texts, too, where it has.
        labels.iter().flatten().filter_map(written).collect()
    } else {
        let labels = asked.candidates().filter_map(|prompt| prompt.label.as_ref());
        labels.filter_map(written).collect()
    }
}

fn unfilled(texts: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in texts.iter().flat_map(|text| fields::in_braces(text)) {
        if !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found
}

fn emptied(row: &Sample) -> Sample {
    Sample::new(
        row.iter().map(|(column, value)| (column.to_owned(), without_text(value))).collect(),
    )
}

/// The value with every text empty: lists and dicts are kept, since some templates look into them, and the tags of pieces, behind which
/// a multimodal template writes its own text.
fn without_text(value: &Json) -> Json {
    match value {
        Json::String(text) => emptied_pieces(text).into(),
        Json::Array(items) => items.iter().map(without_text).collect(),
        Json::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), without_text(value))).collect()
        }
        other => other.clone(),
    }
}

fn is_scalar(value: &Json) -> bool {
    !matches!(value, Json::Array(_) | Json::Object(_))
}

fn push_shape(shape: &mut String, value: &Json) {
    match value {
        Json::Null => shape.push('0'),
        Json::Bool(_) | Json::Number(_) => shape.push('1'),
        Json::String(_) => shape.push('"'),
        Json::Array(items) => {
            shape.push('[');
            for item in items {
                push_shape(shape, item);
            }
            shape.push(']');
        }
        Json::Object(fields) => {
            shape.push('{');
            for (name, value) in fields {
                shape.push_str(name);
                push_shape(shape, value);
            }
            shape.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_that_differ_in_their_texts_alone_have_one_shape() {
        let row = |value: Json| Sample::new(vec![("q".to_owned(), value)]);
        let shape = |value: Json| OwnText::shape(&row(value));
        assert_eq!(shape(json!({"label": ["A", "B"]})), shape(json!({"label": ["C", ""]})));
        assert_ne!(shape(json!(["A"])), shape(json!(["A", "B"])));
        assert_ne!(shape(json!("A")), shape(json!(null)));
        let text = json!({"a": ["x", 1]});
        assert_eq!(emptied(&row(text)), row(json!({"a": ["", 1]})));
    }
}
