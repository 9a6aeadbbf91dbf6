//! Which rows are of a kind, where a column of the data set names it.

use indexmap::IndexMap;
use serde::Deserialize;

use super::{EvaluateError, Row};
use crate::{
    config::{Component, ConfigError},
    python::{blank::strip, python_str},
};

/// What an evaluator that also scores kinds of rows accepts beside `type`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The column that names the kind of a row.
    by: Option<String>,
}

/// Reads `by`.
pub(super) fn column_of_kinds(component: &Component) -> Result<Option<String>, ConfigError> {
    Ok(component.read::<Params>()?.by)
}

/// The rows of each kind, by their places, kinds in the order in which they are met. A row of several kinds, which
/// commas part, is one of each; a row whose kind is null is of none.
pub(super) fn rows_by_kind(
    rows: &[Row<'_>],
    evaluator: &'static str,
    column: &str,
) -> Result<IndexMap<String, Vec<usize>>, EvaluateError> {
    let mut kinds: IndexMap<String, Vec<usize>> = IndexMap::new();
    for (place, row) in rows.iter().enumerate() {
        let found = row.sample.and_then(|sample| sample.get(column));
        let found = found.ok_or_else(|| EvaluateError::WrongKind {
            row: place,
            evaluator,
            what: "the column that `by` names",
            expected: "a column of the data set",
            found: format!("{column:?}, which is not there"),
        })?;
        if found.is_null() {
            continue;
        }
        for kind in python_str(found).split(',') {
            let own = kinds.entry(strip(kind).to_owned()).or_default();
            if own.last() != Some(&place) {
                own.push(place);
            }
        }
    }
    Ok(kinds)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::dataset::Sample;

    #[test]
    fn a_row_is_of_every_kind_that_its_column_names() {
        let kinds = [json!("b"), json!("a, b"), json!(null), json!("a,a"), json!(0)];
        let samples: Vec<Sample> =
            kinds.into_iter().map(|kind| Sample::new(vec![("kind".into(), kind)])).collect();
        let row = |sample| Row { sample: Some(sample), ..Row::default() };
        let rows: Vec<Row<'_>> = samples.iter().map(row).collect();
        let found = rows_by_kind(&rows, "x", "kind").unwrap();
        let expected = [("b", vec![0, 1]), ("a", vec![1, 3]), ("0", vec![4])];
        let expected = expected.map(|(kind, rows)| (kind.to_owned(), rows));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
        let error = rows_by_kind(&rows, "x", "type").unwrap_err().to_string();
        assert!(error.contains("row 0: x needs a column") && error.contains("\"type\""), "{error}");
        let rows = Row::zip(vec![Value::Null], vec![Value::Null]).unwrap();
        assert!(rows_by_kind(&rows, "x", "kind").is_err());
    }
}
