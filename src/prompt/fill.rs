//! Filling `{fields}` from a row.
//!
//! Not a format language: for every column in order, each literal `{column}` is replaced by the value
//! as Python's `str()` prints it. Unknown fields stay as they are, braces cannot be escaped, and text
//! that was filled in is searched again for the columns that follow.
//!
//! OpenCompass leaves `{choices[0]}` as it stands. Here an item of a list is filled in as Python's `str.format`
//! does it, and `{choices.label}` as the key of a record; see [`deep_fields`]. What such a field fills in is never
//! searched again.

use super::deep_field::deep_fields;
use crate::{dataset::Sample, python::python_str};

/// `text` with every `{column}` of `sample` replaced, and every field that looks into a column.
pub(crate) fn fill(text: &str, sample: &Sample) -> String {
    let fields = deep_fields(text, sample);
    if fields.is_empty() {
        return columns_filled(text, sample);
    }
    let mut filled = String::new();
    let mut done = 0;
    for field in fields {
        filled.push_str(&columns_filled(&text[done..field.span.start], sample));
        filled.push_str(&python_str(field.value));
        done = field.span.end;
    }
    filled.push_str(&columns_filled(&text[done..], sample));
    filled
}

fn columns_filled(text: &str, sample: &Sample) -> String {
    let mut filled = text.to_owned();
    for (column, value) in sample.iter() {
        let field = format!("{{{column}}}");
        if filled.contains(&field) {
            filled = filled.replace(&field, &python_str(value));
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn later_columns_see_what_earlier_ones_filled_in() {
        let row = Sample::new(vec![
            ("question".into(), json!("is it {answer}?")),
            ("answer".into(), json!(null)),
        ]);
        assert_eq!(fill("{question} {{answer}} {other}", &row), "is it None? {None} {other}");
    }

    #[test]
    fn what_a_deep_field_fills_in_is_not_searched_again() {
        let row = Sample::new(vec![
            ("choices".into(), json!(["{answer}", "{choices[0]}"])),
            ("answer".into(), json!("B")),
        ]);
        assert_eq!(fill("{answer}: {choices[0]} {choices[1]}", &row), "B: {answer} {choices[0]}");
    }

    #[test]
    fn a_hidden_column_is_hidden_whichever_way_it_is_looked_into() {
        let row = Sample::new(vec![("answer".into(), json!({"text": ["gold"]}))]);
        let hidden = row.with_hidden("answer", "?");
        assert_eq!(fill("{answer} {answer.text[0]} {answer[text]}", &hidden), "? ? ?");
        assert_eq!(fill("{answer.text[0]}", &row.with_hidden("answer", "")), "");
        let text = Sample::new(vec![("answer".into(), json!("gold"))]).with_hidden("answer", "?");
        assert_eq!(fill("{answer} {answer[0]}", &text), "? {answer[0]}");
    }
}
