//! Fields in the data: what a row says, and not its template, is filled in.
//!
//! A template is filled column by column, and what an earlier column put there is searched for the later ones, as in OpenCompass. A question that
//! says `{answer}` is then asked with the answer in it, and `\frac{A}{B}` with the options.

use serde_json::Value as Json;

use super::{
    kind::Finding,
    own_text::prompts,
    subject::{Asked, Subject},
};
use crate::{dataset::Sample, prompt::Prompt};

/// Put into a field, so that nothing fills it in; the Unicode standard sets it aside for such use.
const NOT_A_FIELD: char = '\u{FDD1}';

/// The columns whose fields a row's own texts have, where a prompt is another for it.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let written = |row: &Sample| {
        prompts(subject, asked, row).iter().map(Prompt::plain_beside_media).collect()
    };
    let mut as_filled: Option<Vec<String>> = None;
    let mut findings = Vec::new();
    for (column, _) in asked.row.iter() {
        let field = format!("{{{column}}}");
        if !asked.row.iter().any(|(_, value)| says(value, &field)) {
            continue;
        }
        let kept = format!("{{{NOT_A_FIELD}{column}}}");
        let row = asked.row.iter();
        let row = Sample::new(
            row.map(|(name, value)| (name.to_owned(), replaced(value, &field, &kept))).collect(),
        );
        let mut as_said: Vec<String> = written(&row);
        for text in &mut as_said {
            text.retain(|character| character != NOT_A_FIELD);
        }
        if *as_filled.get_or_insert_with(|| written(asked.row)) != as_said {
            findings.push(Finding::about(
                column,
                format!(
                    "a text of the row itself says {field}, and the prompt has that column's value in its place, as in OpenCompass; \
                     write it otherwise in the data"
                ),
            ));
        }
    }
    findings
}

/// Whether a text of `value` has `field`.
fn says(value: &Json, field: &str) -> bool {
    match value {
        Json::String(text) => text.contains(field),
        Json::Array(items) => items.iter().any(|item| says(item, field)),
        Json::Object(fields) => fields.values().any(|value| says(value, field)),
        _ => false,
    }
}

/// `value` with every `field` in its texts written as `kept`.
fn replaced(value: &Json, field: &str, kept: &str) -> Json {
    match value {
        Json::String(text) => text.replace(field, kept).into(),
        Json::Array(items) => items.iter().map(|item| replaced(item, field, kept)).collect(),
        Json::Object(fields) => {
            let fields = fields.iter();
            fields.map(|(name, value)| (name.clone(), replaced(value, field, kept))).collect()
        }
        other => other.clone(),
    }
}
