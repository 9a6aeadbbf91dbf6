//! Values with separators between them and a header line. Every cell is text; cells that a short line
//! lacks are null.
//!
//! Commas separate, unless the header is one column by commas and several by semicolons or tabs, as
//! spreadsheets of many countries write it. A file named `.tsv` has tabs.

use csv::{ReaderBuilder, StringRecord};
use serde_json::{Map, Value};

use super::source::{Problem, RawRow};

/// What may stand between cells, the usual one first, and what to call it.
const SEPARATORS: [(u8, &str); 3] = [(b',', "comma"), (b';', "semicolon"), (b'\t', "tab")];

/// The rows of the text of a `.csv` file.
pub(super) fn parse(text: &str) -> Result<Vec<RawRow>, Problem> {
    separated(text, separator(text))
}

/// The rows of the text of a `.tsv` file.
pub(super) fn parse_tabs(text: &str) -> Result<Vec<RawRow>, Problem> {
    separated(text, b'\t')
}

/// The separator that the header uses.
fn separator(text: &str) -> u8 {
    let columns = |separator: u8| {
        let mut reader = reader(text, separator);
        reader.headers().map_or(0, StringRecord::len)
    };
    let [usual, others @ ..] = SEPARATORS.map(|(separator, _)| separator);
    if columns(usual) > 1 {
        return usual;
    }
    let most = others.into_iter().max_by_key(|other| columns(*other));
    most.filter(|other| columns(*other) > 1).unwrap_or(usual)
}

fn reader(text: &str, separator: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().flexible(true).delimiter(separator).from_reader(text.as_bytes())
}

fn separated(text: &str, separator: u8) -> Result<Vec<RawRow>, Problem> {
    if let Some(line) = open_quote(text, separator) {
        return Err(Problem {
            place: Some(format!("line {line}")),
            what: "the quote that opens here never closes, so all lines below would be one cell; \
                   close it, or write \"\" for a quote inside a quoted cell"
                .to_owned(),
        });
    }
    let mut reader = reader(text, separator);
    let header = reader.headers().map_err(|error| problem(&error))?.clone();
    check(&header)?;
    reader
        .into_records()
        .map(|record| row(text, separator, &header, &record.map_err(|error| problem(&error))?))
        .collect()
}

/// The line of the quote that is still open at the end, which the parser would take for a whole cell. A
/// quote opens a cell only at its very beginning.
fn open_quote(text: &str, separator: u8) -> Option<usize> {
    enum Cell {
        Begins,
        Quoted { line: usize },
        Plain,
    }
    let mut line = 1;
    let mut cell = Cell::Begins;
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        cell = match (cell, byte) {
            (Cell::Begins, b'"') => Cell::Quoted { line },
            (Cell::Quoted { line }, b'"') if bytes.peek() == Some(&b'"') => {
                bytes.next();
                Cell::Quoted { line }
            }
            (Cell::Quoted { .. }, b'"') => Cell::Plain,
            (quoted @ Cell::Quoted { .. }, _) => quoted,
            (_, b'\n' | b'\r') => Cell::Begins,
            (_, byte) if byte == separator => Cell::Begins,
            _ => Cell::Plain,
        };
        line += usize::from(byte == b'\n');
    }
    match cell {
        Cell::Quoted { line } => Some(line),
        Cell::Begins | Cell::Plain => None,
    }
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

fn row(
    text: &str,
    separator: u8,
    header: &StringRecord,
    record: &StringRecord,
) -> Result<RawRow, Problem> {
    let place = format!("line {}", line(text, record));
    if record.len() > header.len() {
        let named = SEPARATORS.iter().find(|(own, _)| *own == separator);
        return Err(Problem {
            place: Some(place),
            what: format!(
                "{} cells, but the header names {} columns; put cells that contain a {} in double quotes",
                record.len(),
                header.len(),
                named.map_or("separator", |(_, name)| name)
            ),
        });
    }
    let columns: Map<String, Value> = header
        .iter()
        .enumerate()
        .map(|(index, name)| (name.to_owned(), record.get(index).map_or(Value::Null, Value::from)))
        .collect();
    Ok(RawRow::new(place, columns))
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
            .map_err(|problem| format!("{}{}", problem.place.unwrap_or_default(), problem.what))
    }

    #[test]
    fn cells_are_text_and_blank_lines_are_skipped() {
        let rows = shown("q,a\n\"x, \"\"y\"\"\nz\",1\n\n2\n");
        let expected = [r#"line 2 {"q":"x, \"y\"\nz","a":"1"}"#, r#"line 5 {"q":"2","a":null}"#];
        assert_eq!(rows.unwrap(), expected);
    }

    #[test]
    fn a_line_too_long_and_a_name_twice_are_errors() {
        assert!(shown("q,a\n1,2,3\n").unwrap_err().contains("3 cells"));
        assert!(shown("q,q\n1,2\n").unwrap_err().contains("`q` twice"));
    }

    #[test]
    fn a_quote_that_never_closes_is_told_with_its_line() {
        for (text, line) in [
            ("q,a\n1,\"x\"\n2,\"y\n3,z\n", 3),
            ("q,a\r\n\"1\"\"\r\n,2\r\n", 2),
            ("\"q,a\n1,2\n", 1),
            ("q;a\n1;\"2", 2),
            ("q,a\n\"x\ny\",\"z", 3),
        ] {
            let error = shown(text).unwrap_err();
            assert!(error.starts_with(&format!("line {line}the quote that opens")), "{error}");
        }
        // A quote inside a cell is a letter, and one that is doubled does not close it.
        for text in ["q,a\n5\" pipe,2\n", "q,a\n\"\"\"\",2\n", "q,a\n\"a\"b\",2\n", "q\n\"\"\n"] {
            assert!(shown(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn semicolons_and_tabs_separate_where_commas_do_not() {
        let expected = [r#"line 2 {"q":"1,5","a":"x;\ty"}"#];
        assert_eq!(shown("q;a\n1,5;\"x;\ty\"\n").unwrap(), expected);
        assert_eq!(shown("q\ta\n1,5\t\"x;\ty\"\n").unwrap(), expected);
        assert_eq!(shown("q,a\n\"1,5\",x;\ty\n").unwrap(), expected);
        assert_eq!(shown("\"q, or\";a\n1;2\n").unwrap(), [r#"line 2 {"q, or":"1","a":"2"}"#]);
        assert_eq!(shown("q\n1;2\n").unwrap(), [r#"line 2 {"q":"1;2"}"#]);
        assert!(shown("q;a\n1;2;3\n").unwrap_err().contains("a semicolon in double quotes"));
        assert_eq!(parse_tabs("q,r\n1,2\n").ok().map(|rows| rows[0].columns.len()), Some(1));
    }
}
