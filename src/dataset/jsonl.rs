//! JSON lines: one object per line, blank lines skipped.

use serde_json::{Map, Value};

use super::source::{Problem, RawRow, kind_of};

/// The rows of the text.
pub(super) fn parse(text: &str) -> Result<Vec<RawRow>, Problem> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            let place = format!("line {}", index + 1);
            match object(line) {
                Ok(columns) => Ok(RawRow { place, columns }),
                Err(what) => Err(Problem { place: Some(place), what }),
            }
        })
        .collect()
}

fn object(line: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(line) {
        Ok(Value::Object(columns)) => Ok(columns),
        Ok(other) => Err(format!(
            "expected one object per line, such as {{\"question\": \"…\"}}, found {}",
            kind_of(&other)
        )),
        Err(error) => Err(format!("this line is not JSON: {error}; write one object per line")),
    }
}
