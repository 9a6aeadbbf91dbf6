//! One row while a loader works on it, and how its values are reached.
//!
//! Values are asked for by paths such as `question.choices.0.text`. What is not there, or is of another
//! kind, is a flaw of the row; whoever read the file knows the place and makes an error of it.

use serde_json::{Map, Value};

use crate::{
    dataset::source::kind_of,
    python::{is_truthy, python_format, python_str},
};

/// Columns by name, in their order.
pub(super) type Row = Map<String, Value>;

/// What is wrong with a row, or with a document.
#[derive(Debug)]
pub(super) struct Flaw(pub(super) String);

/// What a loader makes of a row.
pub(super) type Made<T> = Result<T, Flaw>;

impl Flaw {
    /// A flaw in words.
    pub(super) fn new<T>(what: impl Into<String>) -> Made<T> {
        Err(Self(what.into()))
    }
}

/// Reaches into a row or a document.
pub(super) trait Fields {
    /// The value directly under a key or at an index.
    fn step(&self, key: &str) -> Option<&Value>;

    /// The value at a path.
    fn at(&self, path: &str) -> Made<&Value> {
        let mut keys = path.split('.');
        let first = keys.next().and_then(|key| self.step(key));
        let value = first.and_then(|first| keys.try_fold(first, |value, key| value.step(key)));
        value.ok_or_else(|| Flaw(format!("there is no `{path}`")))
    }

    /// The text at a path.
    fn text(&self, path: &str) -> Made<&str> {
        let value = self.at(path)?;
        value.as_str().ok_or_else(|| wrong(path, "text", value))
    }

    /// The list at a path.
    fn list(&self, path: &str) -> Made<&Vec<Value>> {
        let value = self.at(path)?;
        value.as_array().ok_or_else(|| wrong(path, "a list", value))
    }

    /// The whole number at a path; text is none.
    fn whole(&self, path: &str) -> Made<i64> {
        let value = self.at(path)?;
        let number = value.as_i64().or_else(|| value.as_bool().map(i64::from));
        number.ok_or_else(|| wrong(path, "a whole number", value))
    }

    /// The texts of a list at a path.
    fn texts<'a>(&'a self, path: &str) -> Made<Vec<&'a str>> {
        let text =
            |item: &'a Value| item.as_str().ok_or_else(|| wrong(path, "a list of texts", item));
        self.list(path)?.iter().map(text).collect()
    }
}

/// What was expected at a path, and what is there.
fn wrong(path: &str, expected: &str, found: &Value) -> Flaw {
    Flaw(format!("`{path}` is expected to be {expected}, but is {}", kind_of(found)))
}

impl Fields for Row {
    fn step(&self, key: &str) -> Option<&Value> {
        self.get(key)
    }
}

impl Fields for Value {
    fn step(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Object(entries) => entries.get(key),
            Self::Array(items) => items.get(key.parse::<usize>().ok()?),
            _ => None,
        }
    }
}

/// A row of these columns.
pub(super) fn row<const N: usize>(columns: [(&str, Value); N]) -> Row {
    columns.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Python's `template.format(*values, **fields)`.
pub(super) fn formatted(template: &str, values: &[&str], fields: &[(&str, &str)]) -> Made<String> {
    python_format(template, values, fields).map_err(Flaw)
}

/// The value of a document, which must be an object.
pub(super) fn object(value: &Value) -> Made<&Row> {
    value.as_object().ok_or_else(|| {
        Flaw(format!("expected an object of column and value, found {}", kind_of(value)))
    })
}

/// Python's `letters[index]`: from the end where the index is negative.
pub(super) fn letter(letters: &str, index: i64) -> Made<String> {
    let count = letters.chars().count();
    let place = if index < 0 {
        count.checked_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX))
    } else {
        usize::try_from(index).ok()
    };
    place.and_then(|place| letters.chars().nth(place)).map(String::from).ok_or_else(|| {
        Flaw(format!("{index} is no number of one of the {count} choices {letters:?}"))
    })
}

/// The letter at a place.
pub(super) fn letter_at(letters: &str, place: usize) -> Made<String> {
    letter(letters, i64::try_from(place).unwrap_or(i64::MAX))
}

/// Python's `int(value)`, of text too.
pub(super) fn int(value: &Value) -> Made<i64> {
    let number = match value {
        Value::Number(number) => {
            number.as_i64().or_else(|| number.as_f64().map(|number| number.trunc() as i64))
        }
        Value::Bool(bool) => Some(i64::from(*bool)),
        Value::String(text) => strip(text).parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| Flaw(format!("{} is no whole number", python_str(value))))
}

/// Whether Python takes a character for white space.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&letter)
}

/// Python's `text.strip()`.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// A text whose first letter was changed; there must be one.
pub(super) fn with_first(text: &str, change: impl Fn(char) -> String) -> Made<String> {
    let mut letters = text.chars();
    let first = letters.next().ok_or_else(|| Flaw("a text is empty".to_owned()))?;
    Ok(change(first) + letters.as_str())
}

/// A text that begins with a capital.
pub(super) fn capitalised(text: &str) -> Made<String> {
    with_first(text, |letter| letter.to_uppercase().collect())
}

/// The texts of records in a list, each once. A set of Python has no order; here it is that of the file.
pub(super) fn once<'a>(items: impl IntoIterator<Item = &'a Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for item in items {
        if !kept.contains(item) {
            kept.push(item.clone());
        }
    }
    kept
}

/// A list of numbered options: `A. …`, each on a line of its own.
pub(super) fn lettered(options: &[Value]) -> String {
    let lines = options
        .iter()
        .zip('A'..)
        .map(|(option, letter)| format!("{letter}. {}\n", python_str(option)));
    lines.collect()
}

/// The text at a path, or none where nothing is said there.
pub(super) fn text_or_empty<'a>(value: &'a (impl Fields + ?Sized), path: &str) -> Made<&'a str> {
    if is_truthy(value.at(path)?) { value.text(path) } else { Ok("") }
}
