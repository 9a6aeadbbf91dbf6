//! JSON lines: one object per line, blank lines skipped. Lines end with `\n`, `\r\n` or `\r`, as files of text do in Python, which
//! OpenCompass reads them with; the `datasets` library takes a `\r` for a blank between two objects.

use serde_json::{Map, Value};

use super::{
    repeated_keys,
    source::{Problem, RawRow, kind_of},
};

/// The `datasets` library reads so many bytes, and on to the end of the line, before it settles what columns there are
/// (`chunksize` of its builder for JSON).
pub(super) const FIRST_BLOCK_BYTES: usize = 10 << 20;

/// The rows of the text.
pub(super) fn parse(text: &str) -> Result<Vec<RawRow>, Problem> {
    lines(text)
        .enumerate()
        .filter(|(_, (_, line))| !line.trim().is_empty())
        .map(|(index, (first_byte, line))| {
            let place = format!("line {}", index + 1);
            let is_in_first_block = first_byte <= FIRST_BLOCK_BYTES;
            match object(line) {
                Ok((columns, repeated_keys)) => {
                    Ok(RawRow { place, columns, repeated_keys, is_in_first_block })
                }
                Err(what) => Err(Problem { place: Some(place), what }),
            }
        })
        .collect()
}

/// The lines of a text without what ends them, each with its first byte.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut first_byte = 0;
    std::iter::from_fn(move || {
        let rest = text.get(first_byte..).filter(|rest| !rest.is_empty())?;
        let own = first_byte;
        let end = rest.bytes().position(|byte| matches!(byte, b'\n' | b'\r'));
        let line = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
        let behind = rest.get(line.len()..).unwrap_or_default();
        let ending = if behind.starts_with("\r\n") { 2 } else { behind.len().min(1) };
        first_byte += line.len() + ending;
        Some((own, line))
    })
}

/// The columns of a line, and its repeated keys.
fn object(line: &str) -> Result<(Map<String, Value>, Vec<String>), String> {
    match repeated_keys::parse(line) {
        Ok((Value::Object(columns), repeated)) => {
            Ok((columns, repeated.iter().map(|path| repeated_keys::shown(path)).collect()))
        }
        Ok((other, _)) => Err(format!(
            "expected one object per line, such as {{\"question\": \"…\"}}, found {}",
            kind_of(&other)
        )),
        Err(error) => Err(format!(
            "this line is not JSON: {}; write one object per line",
            in_line(&error.to_string())
        )),
    }
}

/// What is wrong with a line, which is the first and only one to the parser.
fn in_line(error: &str) -> String {
    error.replace(" at line 1 column ", " at column ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_in_python() {
        let found: Vec<_> = lines("a\r\rb\r\nc\n\nd").collect();
        assert_eq!(found, [(0, "a"), (2, ""), (3, "b"), (6, "c"), (8, ""), (9, "d")]);
        assert_eq!(lines("").count(), 0);
        assert_eq!(lines("a\r").count(), 1);
    }

    #[test]
    fn places_count_every_kind_of_line() {
        let rows = parse("{\"q\": 1}\r{\"q\": 2}\n\r\n{\"q\": 3, \"q\": 4}").ok().unwrap();
        let told: Vec<_> = rows.iter().map(|row| (&*row.place, row.repeated_keys.len())).collect();
        assert_eq!(told, [("line 1", 0), ("line 2", 0), ("line 4", 1)]);
        let problem = parse("{\"q\": 1}\r{\"q\" 2}\r").err().unwrap();
        assert_eq!(problem.place.as_deref(), Some("line 2"));
        assert!(problem.what.contains("expected `:` at column 6"), "{}", problem.what);
    }
}
