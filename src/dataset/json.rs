//! One JSON document that holds a table, or a table of JSON lines under another name.
//!
//! Three shapes are understood: a list of objects, one per row; an object whose members are lists,
//! one per column; and an object with exactly one list of objects among its members, as in
//! `{"version": 1, "data": [...]}`.

use serde_json::{Map, Value};

use super::{
    jsonl,
    repeated_keys::{self, KeyPath, Part, shown},
    source::{Problem, RawRow, kind_of},
};

/// The rows of the text.
pub(super) fn parse(text: &str) -> Result<Vec<RawRow>, Problem> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    match repeated_keys::parse(text) {
        Ok((Value::Array(items), repeated)) => Ok(told(rows(items)?, &repeated)),
        Ok((Value::Object(members), repeated)) => table(members, &repeated),
        Ok((other, _)) => Err(shapeless(kind_of(&other))),
        // As the `datasets` library does.
        Err(_) if holds_lines(text) => jsonl::parse(text),
        Err(error) => Err(Problem {
            place: Some(format!("line {}", error.line())),
            what: format!(
                "this is not JSON: {error}; for one object per line name the file .jsonl"
            ),
        }),
    }
}

/// Whether the first line is an object of its own, with more below it.
fn holds_lines(text: &str) -> bool {
    let mut lines = jsonl::lines(text.trim_start()).map(|(_, line)| line);
    let first = lines.next().filter(|_| lines.next().is_some());
    first.is_some_and(|line| serde_json::from_str::<Map<String, Value>>(line).is_ok())
}

/// The rows with the keys that stand in them twice. A path leads to its row by the first item that it goes through; a key above all
/// rows is one of each.
fn told(mut rows: Vec<RawRow>, repeated: &[KeyPath]) -> Vec<RawRow> {
    for path in repeated {
        let at = path.iter().position(|part| matches!(part, Part::Item(_)));
        let row = at.and_then(|at| match path.get(at) {
            Some(Part::Item(index)) => Some((at, *index)),
            _ => None,
        });
        match row {
            Some((at, index)) => {
                let own: KeyPath =
                    path.iter().take(at).chain(path.iter().skip(at + 1)).cloned().collect();
                if let Some(row) = rows.get_mut(index) {
                    row.repeated_keys.push(shown(&own));
                }
            }
            None => rows.iter_mut().for_each(|row| row.repeated_keys.push(shown(path))),
        }
    }
    rows
}

fn rows(items: Vec<Value>) -> Result<Vec<RawRow>, Problem> {
    items
        .into_iter()
        .enumerate()
        .map(|(index, item)| {
            let place = format!("item {}", index + 1);
            match item {
                Value::Object(columns) => Ok(RawRow::new(place, columns)),
                other => Err(Problem {
                    place: Some(place),
                    what: format!(
                        "expected an object of column and value, found {}",
                        kind_of(&other)
                    ),
                }),
            }
        })
        .collect()
}

fn table(members: Map<String, Value>, repeated: &[KeyPath]) -> Result<Vec<RawRow>, Problem> {
    let tables = members.values().filter(|value| is_list_of_objects(value)).count();
    let lists = members.values().filter(|value| value.is_array()).count();
    if tables == 1 && (lists < members.len() || lists == 1) {
        let found = members.into_iter().find(|(_, value)| is_list_of_objects(value));
        let Some((name, value)) = found else { return Ok(Vec::new()) };
        // What stands beside the rows is not read. A list that is there twice is one of another file.
        let below = |path: &KeyPath| match path.split_first() {
            Some((Part::Key(first), [])) if *first == name => Some(path.clone()),
            Some((Part::Key(first), rest)) if *first == name => Some(rest.to_vec()),
            _ => None,
        };
        let own: Vec<KeyPath> = repeated.iter().filter_map(below).collect();
        return Ok(told(rows(items(value))?, &own));
    }
    if lists < members.len() {
        return Err(shapeless("an object that holds something else"));
    }
    Ok(told(columns(members)?, repeated))
}

fn is_list_of_objects(value: &Value) -> bool {
    value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(Value::is_object))
}

/// Rows out of columns of one length.
fn columns(members: Map<String, Value>) -> Result<Vec<RawRow>, Problem> {
    let mut rows: Vec<RawRow> = Vec::new();
    for (number, (name, values)) in members.into_iter().enumerate() {
        let values = items(values);
        if number == 0 {
            rows.extend(
                (1..=values.len()).map(|item| RawRow::new(format!("item {item}"), Map::new())),
            );
        }
        if values.len() != rows.len() {
            return Err(Problem {
                place: None,
                what: format!(
                    "column `{name}` has {} values, the columns before it have {}; give every column one value per row",
                    values.len(),
                    rows.len()
                ),
            });
        }
        for (row, value) in rows.iter_mut().zip(values) {
            row.columns.insert(name.clone(), value);
        }
    }
    Ok(rows)
}

fn items(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

fn shapeless(found: &str) -> Problem {
    Problem {
        place: None,
        what: format!("expected a list of objects or an object of columns, found {found}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Result<Vec<String>, String> {
        parse(text)
            .map(|rows| {
                rows.into_iter().map(|row| Value::Object(row.columns).to_string()).collect()
            })
            .map_err(|problem| problem.what)
    }

    #[test]
    fn three_shapes_give_the_same_rows() {
        let expected = Ok(vec![r#"{"q":"a"}"#.to_owned(), r#"{"q":"b"}"#.to_owned()]);
        assert_eq!(shown(r#"[{"q": "a"}, {"q": "b"}]"#), expected);
        assert_eq!(shown(r#"{"q": ["a", "b"]}"#), expected);
        assert_eq!(shown(r#"{"version": 1, "data": [{"q": "a"}, {"q": "b"}]}"#), expected);
    }

    #[test]
    fn a_column_may_hold_objects() {
        let rows = shown(r#"{"q": ["a"], "choices": [{"A": 1}]}"#);
        assert_eq!(rows, Ok(vec![r#"{"q":"a","choices":{"A":1}}"#.to_owned()]));
    }

    #[test]
    fn other_shapes_say_what_was_found() {
        assert!(shown("3").unwrap_err().ends_with("found a number"));
        assert!(shown(r#"[{"q": 1}, 2]"#).unwrap_err().ends_with("found a number"));
        assert!(
            shown(r#"{"q": [1, 2], "a": [1]}"#).unwrap_err().contains("column `a` has 1 values")
        );
        assert!(shown(r#"{"q": {"a": 1}}"#).is_err());
        assert!(shown("{\"q\":\n1}\n{\"q\": 2}").unwrap_err().ends_with("name the file .jsonl"));
        assert!(shown("{\"q\": 1}\n{\"q\": 2").unwrap_err().contains("this line is not JSON"));
    }

    #[test]
    fn a_key_that_stands_twice_belongs_to_its_row() {
        for (text, expected) in [
            (
                r#"[{"q": 1}, {"q": 2, "o": {"A": 1, "A": 2}, "q": 3}]"#,
                vec![vec![], vec!["o.A", "q"]],
            ),
            (
                r#"{"v": {"q": 1, "q": 2}, "rows": [{"q": 1, "q": 2}, {"q": 3}]}"#,
                vec![vec!["q"], vec![]],
            ),
            (
                r#"{"q": [1, 2], "a": [{"x": 1, "x": 1}, {"x": 1}], "q": [3, 4]}"#,
                vec![vec!["a.x", "q"], vec!["q"]],
            ),
        ] {
            let rows = parse(text).ok().unwrap();
            let keys: Vec<_> = rows.iter().map(|row| row.repeated_keys.clone()).collect();
            assert_eq!(keys, expected, "{text}");
        }
    }

    #[test]
    fn lines_under_another_name_are_lines() {
        assert_eq!(shown("{\"q\": 1}\n\n{\"q\": 2}\n").unwrap(), [r#"{"q":1}"#, r#"{"q":2}"#]);
    }
}
