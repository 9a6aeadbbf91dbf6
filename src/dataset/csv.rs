//! Comma-separated values with a header line. Every cell is text; cells that a short line lacks are
//! null.

use csv::{ReaderBuilder, StringRecord};
use serde_json::{Map, Value};

use super::source::{Problem, RawRow};

/// The rows of the text.
pub(super) fn parse(text: &str) -> Result<Vec<RawRow>, Problem> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| problem(&error))?.clone();
    check(&header)?;
    reader
        .into_records()
        .map(|record| row(text, &header, &record.map_err(|error| problem(&error))?))
        .collect()
}

/// Column names must tell columns apart.
fn check(header: &StringRecord) -> Result<(), Problem> {
    let repeated = header
        .iter()
        .enumerate()
        .find(|(index, name)| header.iter().take(*index).any(|earlier| earlier == *name));
    match repeated {
        None => Ok(()),
        Some((_, name)) => Err(Problem {
            place: Some("line 1".to_owned()),
            what: format!("the header names the column `{name}` twice; rename one of them"),
        }),
    }
}

fn row(text: &str, header: &StringRecord, record: &StringRecord) -> Result<RawRow, Problem> {
    let place = format!("line {}", line(text, record));
    if record.len() > header.len() {
        return Err(Problem {
            place: Some(place),
            what: format!(
                "{} cells, but the header names {} columns; put cells that contain a comma in double quotes",
                record.len(),
                header.len()
            ),
        });
    }
    let columns: Map<String, Value> = header
        .iter()
        .enumerate()
        .map(|(index, name)| (name.to_owned(), record.get(index).map_or(Value::Null, Value::from)))
        .collect();
    Ok(RawRow { place, columns })
}

/// The line on which a record begins. The parser counts the blank lines before a record to it.
fn line(text: &str, record: &StringRecord) -> u64 {
    let Some(position) = record.position() else { return 0 };
    let rest = usize::try_from(position.byte()).ok().and_then(|start| text.get(start..));
    let blank = rest.unwrap_or_default().chars().take_while(|letter| matches!(letter, '\r' | '\n'));
    position.line() + blank.filter(|letter| *letter == '\n').count() as u64
}

fn problem(error: &csv::Error) -> Problem {
    Problem { place: None, what: format!("this is not CSV: {error}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Result<Vec<String>, String> {
        parse(text)
            .map(|rows| {
                rows.into_iter()
                    .map(|row| format!("{} {}", row.place, Value::Object(row.columns)))
                    .collect()
            })
            .map_err(|problem| problem.what)
    }

    #[test]
    fn cells_are_text_and_blank_lines_are_skipped() {
        let rows = shown("q,a\n\"x, \"\"y\"\"\nz\",1\n\n2\n");
        let expected = [r#"line 2 {"q":"x, \"y\"\nz","a":"1"}"#, r#"line 5 {"q":"2","a":null}"#];
        assert_eq!(rows.unwrap(), expected);
    }

    #[test]
    fn a_line_too_long_and_a_name_twice_are_errors() {
        assert!(shown("q,a\n1,2,3\n").unwrap_err().starts_with("3 cells"));
        assert!(shown("q,q\n1,2\n").unwrap_err().contains("`q` twice"));
    }
}
