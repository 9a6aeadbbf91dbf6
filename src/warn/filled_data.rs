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
use crate::{
    dataset::{Sample, has_text},
    prompt::Prompt,
};

/// Put into a field, so that nothing fills it in; the Unicode standard sets it aside for such use.
const NOT_A_FIELD: char = '\u{FDD1}';

/// The columns whose fields a row's own texts have, where a prompt is another for it; the same of examples.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let asked_for = |row: &Sample| prompts(subject, asked, row);
    let mut found: Vec<Finding> =
        filled(asked.row, asked_for).map(|column| finding(column, "a text of the row")).collect();
    let Some(template) = subject.task.assembly.ice_template() else { return found };
    for (number, (_, row)) in subject.examples(asked).into_iter().enumerate() {
        let gold = subject.task.output_column.and_then(|column| row.get(column));
        let shown = |row: &Sample| {
            template.example(row, gold.unwrap_or(&Json::Null)).into_iter().collect::<Vec<Prompt>>()
        };
        for column in filled(row, shown) {
            if !found.iter().any(|known| known.field.as_deref() == Some(column)) {
                found.push(finding(column, &format!("in-context example {}", number + 1)));
            }
        }
    }
    found
}

/// The columns whose fields stand in a row's own texts, and are filled in where the row is `written`.
fn filled(row: &Sample, written: impl Fn(&Sample) -> Vec<Prompt>) -> impl Iterator<Item = &str> {
    // With the addresses of images, videos and sounds.
    let texts = move |row: &Sample| format!("{:?}", written(row));
    row.iter().map(|(column, _)| column).filter(move |column| {
        let field = format!("{{{column}}}");
        if !row.iter().any(|(_, value)| has_text(value, &|text| text.contains(&field))) {
            return false;
        }
        let kept = format!("{{{NOT_A_FIELD}{column}}}");
        let cells = row.iter();
        let cells = cells.map(|(name, value)| (name.to_owned(), replaced(value, &field, &kept)));
        let as_said = texts(&Sample::new(cells.collect()));
        texts(row) != as_said.replace(&NOT_A_FIELD.escape_debug().to_string(), "")
    })
}

fn finding(column: &str, whose: &str) -> Finding {
    let what = format!(
        "{whose} itself says {{{column}}}, and that column's value takes its place, as in OpenCompass; write it otherwise in the data"
    );
    Finding::about(column, what)
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
