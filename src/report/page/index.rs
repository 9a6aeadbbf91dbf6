//! The index: what lists, filters and sorting need of every sample, a column each.

use serde_json::{Value as Json, json};

use super::{
    coded_number::planes,
    sample::{Column, Sample},
};

/// Most bytes of a gold or a prediction in a list.
const MOST_ANSWER_BYTES: usize = 60;

/// Most bytes of what the list shows, and the same of many samples.
const MOST_LINE_BYTES: usize = 200;
const MOST_LINE_BYTES_OF_MANY: usize = 72;
const MANY_SAMPLES: usize = 10_000;

/// What stands for a text that is not there.
const NOTHING: &str = "\0";

/// A column: what the summary says of it, and its bytes.
pub(super) type IndexColumn = (Json, Vec<u8>);

/// All columns, those that every page has first.
pub(super) fn columns(samples: &[Sample], figures: &[Column]) -> Vec<IndexColumn> {
    let most = if samples.len() > MANY_SAMPLES { MOST_LINE_BYTES_OF_MANY } else { MOST_LINE_BYTES };
    let is_cut = samples.iter().any(|sample| sample.line.len() > most);
    let rows = planes(samples.iter().map(|sample| sample.row.to_le_bytes()));
    let flags = planes(samples.iter().map(|sample| sample.flags.bits().to_le_bytes()));
    let golds = texts(samples, |own| own.gold.as_deref(), MOST_ANSWER_BYTES);
    let predictions = texts(samples, |own| own.prediction.as_deref(), MOST_ANSWER_BYTES);
    let lines = texts(samples, |own| Some(&own.line), most);
    let mut columns = vec![
        (json!({"name": "row", "kind": "u32"}), rows),
        (json!({"name": "flags", "kind": "u16"}), flags),
        (json!({"name": "gold", "kind": "text"}), golds),
        (json!({"name": "prediction", "kind": "text"}), predictions),
        (json!({"name": "text", "kind": "text", "is_cut": is_cut}), lines),
    ];
    for (place, Column { name, title, unit }) in figures.iter().enumerate() {
        let about = json!({"name": name, "kind": "f32", "title": title, "unit": unit});
        let value = |sample: &Sample| sample.figures.get(place).copied().flatten();
        let values = planes(samples.iter().map(|own| value(own).unwrap_or(f32::NAN).to_le_bytes()));
        columns.push((about, values));
    }
    columns
}

fn texts<'s>(
    samples: &'s [Sample],
    text: impl Fn(&'s Sample) -> Option<&'s str>,
    most_bytes: usize,
) -> Vec<u8> {
    let lines: Vec<String> = samples
        .iter()
        .map(|sample| text(sample).map_or_else(|| NOTHING.to_owned(), |own| line(own, most_bytes)))
        .collect();
    lines.join("\n").into_bytes()
}

/// A text without control characters, cut between characters.
fn line(text: &str, most_bytes: usize) -> String {
    let cut = &text[..text.floor_char_boundary(most_bytes)];
    cut.chars().map(|letter| if letter < ' ' || letter == '\x7f' { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_between_characters_and_hold_no_line_break() {
        assert_eq!(line("a\nb\u{7f}\0", 10), "a b  ");
        assert_eq!(line("né根x", 5), "né");
        assert_eq!(line("né根x", 6), "né根");
    }

    #[test]
    fn many_samples_have_shorter_lines() {
        let long = Sample { line: "x".repeat(300), ..Sample::default() };
        let bytes = |count: usize| columns(&vec![long.clone(); count], &[])[4].clone();
        assert_eq!(bytes(1).1.len(), 200);
        assert_eq!(bytes(MANY_SAMPLES + 1).1.len(), 73 * (MANY_SAMPLES + 1) - 1);
        assert_eq!(bytes(1).0["is_cut"], true);
    }
}
