//! Columns of a CSV as pandas types them: whole numbers, numbers, true and false, or text, by what all cells of
//! a column are; some words, such as `NA`, and an empty cell are no value.

use serde_json::Value;

use super::row::{Flaw, Row, strip};

/// What pandas takes for a missing value.
const MISSING: &[&str] = &[
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
];

/// What a column holds.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Whole,
    Float,
    Bool,
    Text,
}

/// The rows as objects, missing values as null; the line and the flaw of a row with too many cells.
pub(super) fn typed(
    header: &[String],
    rows: &[(usize, Vec<String>)],
) -> Result<Vec<Value>, (usize, Flaw)> {
    if let Some((line, row)) = rows.iter().find(|(_, row)| row.len() > header.len()) {
        let what = format!("{} cells, but the header names {} columns", row.len(), header.len());
        return Err((*line, Flaw(what)));
    }
    let kinds: Vec<Kind> = (0..header.len())
        .map(|column| kind(&rows.iter().map(|(_, row)| row.get(column).map_or("", String::as_str))))
        .collect();
    let typed = |(_, row): &(usize, Vec<String>)| {
        let cells = header.iter().zip(&kinds).enumerate().map(|(column, (name, kind))| {
            (name.clone(), value(row.get(column).map_or("", String::as_str), *kind))
        });
        Value::Object(cells.collect::<Row>())
    };
    Ok(rows.iter().map(typed).collect())
}

fn is_missing(cell: &str) -> bool {
    MISSING.contains(&cell)
}

fn kind<'a>(cells: &(impl Iterator<Item = &'a str> + Clone)) -> Kind {
    let mut present = cells.clone().filter(|cell| !is_missing(cell));
    let has_gaps = cells.clone().any(is_missing);
    if present.clone().all(|cell| whole(cell).is_some()) {
        if has_gaps { Kind::Float } else { Kind::Whole }
    } else if present.clone().all(|cell| float(cell).is_some()) {
        Kind::Float
    } else if !has_gaps && present.all(|cell| bool(cell).is_some()) {
        Kind::Bool
    } else {
        Kind::Text
    }
}

fn value(cell: &str, kind: Kind) -> Value {
    if is_missing(cell) {
        return Value::Null;
    }
    match kind {
        Kind::Whole => whole(cell).map(Value::from),
        Kind::Float => float(cell).map(Value::from),
        Kind::Bool => bool(cell).map(Value::from),
        Kind::Text => None,
    }
    .unwrap_or_else(|| cell.into())
}

fn whole(cell: &str) -> Option<i64> {
    strip(cell).parse().ok()
}

fn float(cell: &str) -> Option<f64> {
    let number = strip(cell);
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    number.parse().ok().filter(|_| is_number)
}

fn bool(cell: &str) -> Option<bool> {
    match cell {
        "True" | "TRUE" | "true" => Some(true),
        "False" | "FALSE" | "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_column_has_the_narrowest_type_that_all_its_cells_have() {
        let header = ["a", "b", "c", "d", "e"].map(str::to_owned);
        let rows = [["1", "1", "1.5", "True", "7"], ["2", "", "2", "False", "x"]];
        let rows: Vec<_> =
            rows.into_iter().map(|row| (1, row.map(str::to_owned).to_vec())).collect();
        let expected = [
            json!({"a": 1, "b": 1.0, "c": 1.5, "d": true, "e": "7"}),
            json!({"a": 2, "b": null, "c": 2.0, "d": false, "e": "x"}),
        ];
        assert_eq!(typed(&header, &rows).ok(), Some(expected.to_vec()));
        let long = (7, vec![String::new(); 6]);
        assert_eq!(typed(&header, &[long]).unwrap_err().0, 7);
    }
}
