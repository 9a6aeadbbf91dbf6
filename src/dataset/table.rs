//! Rows as a table: one set of columns, one type per column.
//!
//! The rules are those of `datasets` of Hugging Face, because prompts depend on them: what a row lacks is
//! null; a column that holds one float holds floats; the records of a column share one set of
//! keys, in alphabetical order. Values that do not go together are an error, not a guess. Which columns
//! there are is a [`ColumnRule`]'s to say.

use std::{collections::BTreeMap, fmt};

use serde_json::{Map, Value};

use super::{DatasetError, Sample};

/// Which rows of a file say what columns its table has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnRule {
    /// All of the first 10 MiB, as in `datasets.load_dataset`, in the order in which they are met. A column
    /// that is new after that is an error, there as here.
    #[default]
    Library,
    /// The first, as in `datasets.Dataset.from_list`, which OpenCompass's classes for files of one's own
    /// call: what a later row has in excess is dropped.
    FirstRow,
}

/// The rows of a table, whose columns the first row names, checked and brought to one shape; `place` names a row in
/// errors.
pub fn rows_from_json(
    rows: Vec<Map<String, Value>>,
    place: impl Fn(usize) -> String,
) -> Result<Vec<Sample>, DatasetError> {
    let names = rows.first().map(|first| first.keys().cloned().collect()).unwrap_or_default();
    shaped(rows, names, place)
}

/// The same with columns of these names.
pub(super) fn shaped(
    rows: Vec<Map<String, Value>>,
    names: Vec<String>,
    place: impl Fn(usize) -> String,
) -> Result<Vec<Sample>, DatasetError> {
    let mut columns: Vec<(String, Kind)> =
        names.into_iter().map(|name| (name, Kind::Null)).collect();
    for (index, row) in rows.iter().enumerate() {
        for (name, kind) in &mut columns {
            let Some(value) = row.get(name.as_str()) else { continue };
            kind.admit(value).map_err(|clash| DatasetError::MixedColumn {
                place: place(index),
                column: name.clone(),
                found: clash.found.to_string(),
                seen: clash.seen.to_string(),
            })?;
        }
    }
    Ok(rows
        .into_iter()
        .map(|mut row| {
            let cell = |(name, kind): &(String, Kind)| {
                (name.clone(), kind.shape(row.remove(name.as_str()).unwrap_or_default()))
            };
            Sample::new(columns.iter().map(cell).collect())
        })
        .collect())
}

/// The type of a column, as far as its values have told.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Null,
    Bool,
    Integer,
    Float,
    Text,
    List(Box<Kind>),
    Record(BTreeMap<String, Kind>),
}

/// Two kinds that no column can hold together.
struct Clash {
    seen: Kind,
    found: Kind,
}

impl Kind {
    /// Widens the kind so that it also holds this value.
    fn admit(&mut self, value: &Value) -> Result<(), Clash> {
        let found = match value {
            Value::Null => return Ok(()),
            Value::Bool(_) => Self::Bool,
            Value::Number(number) if number.is_f64() => Self::Float,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::Text,
            Value::Array(_) => Self::List(Box::new(Self::Null)),
            Value::Object(_) => Self::Record(BTreeMap::new()),
        };
        match (&mut *self, found) {
            (seen @ Self::Null, found) => *seen = found,
            (seen @ Self::Integer, Self::Float) => *seen = Self::Float,
            (Self::Float, Self::Integer)
            | (Self::List(_), Self::List(_))
            | (Self::Record(_), Self::Record(_)) => {}
            (seen, found) if *seen == found => {}
            (seen, found) => return Err(Clash { seen: seen.clone(), found }),
        }
        match (self, value) {
            (Self::List(item_kind), Value::Array(items)) => {
                items.iter().try_for_each(|item| item_kind.admit(item))
            }
            (Self::Record(fields), Value::Object(entries)) => {
                entries.iter().try_for_each(|(name, value)| {
                    fields.entry(name.clone()).or_insert(Self::Null).admit(value)
                })
            }
            _ => Ok(()),
        }
    }

    /// The value as a column of this kind holds it.
    fn shape(&self, value: Value) -> Value {
        match (self, value) {
            (Self::Float, Value::Number(number)) => {
                number.as_f64().map_or(Value::Number(number), Value::from)
            }
            (Self::List(item_kind), Value::Array(items)) => {
                items.into_iter().map(|item| item_kind.shape(item)).collect()
            }
            (Self::Record(fields), Value::Object(mut entries)) => fields
                .iter()
                .map(|(name, kind)| {
                    (name.clone(), kind.shape(entries.remove(name).unwrap_or_default()))
                })
                .collect(),
            (_, value) => value,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool => "true or false",
            Self::Integer => "an integer",
            Self::Float => "a float",
            Self::Text => "text",
            Self::List(_) => "a list",
            Self::Record(_) => "an object",
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table(rows: Value) -> Result<Vec<Sample>, DatasetError> {
        let rows = serde_json::from_value(rows).expect("the test's rows are objects");
        rows_from_json(rows, |index| format!("row {index}"))
    }

    fn shown(rows: &[Sample]) -> Vec<String> {
        rows.iter()
            .map(|row| {
                row.iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect()
    }

    #[test]
    fn the_first_row_names_the_columns() {
        let rows = table(json!([{"b": 1, "a": "x"}, {"c": 2, "a": "y"}])).unwrap();
        assert_eq!(shown(&rows), [r#"b=1 a="x""#, r#"b=null a="y""#]);
    }

    #[test]
    fn one_float_makes_a_column_of_floats_at_any_depth() {
        let rows = table(json!([{"n": 1, "l": [1, 2]}, {"n": 2.5, "l": [0.5]}])).unwrap();
        assert_eq!(shown(&rows), ["n=1.0 l=[1.0,2.0]", "n=2.5 l=[0.5]"]);
    }

    #[test]
    fn records_share_their_keys_in_alphabetical_order() {
        let rows = table(json!([{"r": {"z": 1, "b": [{"q": 1}, {"p": 2}]}}, {"r": {"a": "t"}}]));
        let expected = [
            r#"r={"a":null,"b":[{"p":null,"q":1},{"p":2,"q":null}],"z":1}"#,
            r#"r={"a":"t","b":null,"z":null}"#,
        ];
        assert_eq!(shown(&rows.unwrap()), expected);
    }

    #[test]
    fn values_that_do_not_go_together_are_an_error() {
        for (earlier, later) in
            [(json!(1), json!("1")), (json!(true), json!(1)), (json!([1]), json!(["a"]))]
        {
            let error = table(json!([{"x": earlier}, {"x": later}])).unwrap_err().to_string();
            assert!(error.starts_with("row 1: column `x` holds"), "{error}");
        }
    }
}
