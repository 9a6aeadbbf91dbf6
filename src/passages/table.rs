//! Documents of a table: a row each.

use std::path::Path;

use serde_json::Value;

use super::{
    PassageError,
    document::{Document, Markup},
};
use crate::dataset::{self, Sample};

/// Columns that ids are usually in.
const IDS: &[&str] = &["_id", "id"];
const TEXT: &str = "text";
const TITLE: &str = "title";

/// Which columns of a table hold what; without a name, `_id` or `id`, `text`, and `title` if there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableColumns {
    /// What each row is known by: a text, or a whole number.
    pub id: Option<String>,
    /// Its text.
    pub text: Option<String>,
    /// Its title, found together with the text.
    pub title: Option<String>,
}

/// The documents of a file with rows.
pub(super) fn documents(
    path: &Path,
    columns: &TableColumns,
) -> Result<Vec<Document>, PassageError> {
    let rows = match dataset::read_rows(path) {
        Err(dataset::DatasetError::Empty { path }) => return Err(PassageError::Empty { path }),
        rows => rows.map_err(Box::new)?,
    };
    let Some(first) = rows.first() else {
        return Err(PassageError::Empty { path: path.to_owned() });
    };
    let column = |named: &Option<String>, usual: &[&str], what, option| {
        let names: Vec<&str> = named.as_deref().map_or_else(|| usual.to_vec(), |name| vec![name]);
        let found = names.iter().find(|name| first.get(name).is_some());
        found.map(|name| (*name).to_owned()).ok_or_else(|| PassageError::MissingColumn {
            path: path.to_owned(),
            column: names.join("` or `"),
            available: first
                .iter()
                .map(|(name, _)| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", "),
            what,
            option,
        })
    };
    let id = column(&columns.id, IDS, "ids", "--id-column")?;
    let text = column(&columns.text, &[TEXT], "texts", "--text-column")?;
    let title = match column(&columns.title, &[TITLE], "titles", "--title-column") {
        Err(error) if columns.title.is_some() => return Err(error),
        found => found.ok(),
    };
    let document = |(number, row): (usize, &Sample)| {
        let place = format!("{}, row {}", path.display(), number + 1);
        let title = title.as_ref().map(|title| cell(row, title, &place)).transpose()?;
        let id = match row.get(&id) {
            Some(Value::Number(number)) if number.is_i64() || number.is_u64() => number.to_string(),
            Some(Value::String(text)) if !text.is_empty() => text.clone(),
            other => {
                return Err(wrong(
                    &place,
                    &id,
                    "a text or a whole number that tells rows apart",
                    other,
                ));
            }
        };
        let text = cell(row, &text, &place)?;
        let title = title.filter(|title| !title.trim().is_empty());
        Ok(Document { id, place, title, text, markup: Markup::Plain })
    };
    rows.iter().enumerate().map(document).collect()
}

/// The text of a cell; that of one without a value is empty.
fn cell(row: &Sample, column: &str, place: &str) -> Result<String, PassageError> {
    match row.get(column) {
        Some(Value::String(text)) => Ok(text.clone()),
        None | Some(Value::Null) => Ok(String::new()),
        other => Err(wrong(place, column, "text", other)),
    }
}

fn wrong(place: &str, column: &str, wanted: &'static str, found: Option<&Value>) -> PassageError {
    let found = match found {
        None | Some(Value::Null) => "nothing",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "an empty text",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    };
    PassageError::Cell { place: place.to_owned(), column: column.to_owned(), wanted, found }
}
