//! `tojson`, as transformers replaces it: `json.dumps` with Python's own parameters.

use std::fmt::Write as _;

use minijinja::{
    Error, State, Value,
    value::{Kwargs, Rest, ValueKind},
};

use super::{bad, python_str::python_number};
use crate::chat::limits::{ENTRY_BYTES, charge, charged, check_nesting};

/// How the text looks.
struct Style {
    ascii: bool,
    indent: Option<String>,
    sort_keys: bool,
    item_separator: String,
    key_separator: String,
}

/// `tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False)`.
#[expect(clippy::needless_pass_by_value, reason = "the engine passes named arguments by value")]
pub(super) fn tojson(
    state: &mut State,
    value: &Value,
    positional: Rest<Value>,
    named: Kwargs,
) -> Result<String, Error> {
    let style = Style::from_arguments(&positional, &named)?;
    named.assert_all_used()?;
    let mut out = String::new();
    style.write(state, &mut out, value, 0)?;
    charged(state, out)
}

impl Style {
    fn from_arguments(positional: &[Value], named: &Kwargs) -> Result<Self, Error> {
        let argument = |index: usize, name: &str| -> Result<Option<Value>, Error> {
            let value = match positional.get(index) {
                Some(value) => Some(value.clone()),
                None => named.get::<Option<Value>>(name)?,
            };
            Ok(value.filter(|value| !value.is_none()))
        };
        let indent = match argument(1, "indent")? {
            None => None,
            Some(text) if text.kind() == ValueKind::String => Some(text.to_string()),
            Some(width) => {
                let width = i64::try_from(width)?.clamp(0, MOST_INDENT);
                Some(" ".repeat(width as usize))
            }
        };
        let (item_separator, key_separator) = match argument(2, "separators")? {
            None => ((if indent.is_some() { "," } else { ", " }).to_owned(), ": ".to_owned()),
            Some(pair) => {
                let pair: Vec<Value> = pair.try_iter()?.checked().collect::<Result<_, _>>()?;
                match pair.as_slice() {
                    [item, key] => (item.to_string(), key.to_string()),
                    _ => return Err(bad("separators of tojson must be a pair")),
                }
            }
        };
        Ok(Self {
            ascii: argument(0, "ensure_ascii")?.is_some_and(|flag| flag.is_true()),
            indent,
            sort_keys: argument(3, "sort_keys")?.is_some_and(|flag| flag.is_true()),
            item_separator,
            key_separator,
        })
    }

    fn write(
        &self,
        state: &mut State,
        out: &mut String,
        value: &Value,
        depth: usize,
    ) -> Result<(), Error> {
        check_nesting(depth)?;
        charge(state, ENTRY_BYTES)?;
        match value.kind() {
            ValueKind::None => out.push_str("null"),
            ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => out.push_str(&python_number(value, "NaN", "Infinity")),
            ValueKind::String => {
                self.write_string(state, out, value.as_str().unwrap_or_default())?;
            }
            // A slice of a list is lazy for the engine but a list for Python; generators have no
            // length and are not serialisable.
            ValueKind::Seq | ValueKind::Iterable if value.len().is_some() => {
                let items: Vec<Value> = value.try_iter()?.checked().collect::<Result<_, _>>()?;
                self.write_block(state, out, ['[', ']'], &items, depth, |state, out, item| {
                    self.write(state, out, item, depth + 1)
                })?;
            }
            ValueKind::Map => {
                let mut keys: Vec<Value> = value.try_iter()?.checked().collect::<Result<_, _>>()?;
                if self.sort_keys {
                    keys.sort();
                }
                self.write_block(state, out, ['{', '}'], &keys, depth, |state, out, key| {
                    self.write_key(state, out, key)?;
                    charge(state, self.key_separator.len())?;
                    out.push_str(&self.key_separator);
                    self.write(state, out, &value.get_item(key)?, depth + 1)
                })?;
            }
            kind => return Err(bad(format!("a value of type {kind} is not JSON serializable"))),
        }
        Ok(())
    }

    fn write_block(
        &self,
        state: &mut State,
        out: &mut String,
        [open, close]: [char; 2],
        entries: &[Value],
        depth: usize,
        mut write: impl FnMut(&mut State, &mut String, &Value) -> Result<(), Error>,
    ) -> Result<(), Error> {
        out.push(open);
        for (index, entry) in entries.iter().enumerate() {
            if index > 0 {
                out.push_str(&self.item_separator);
                charge(state, self.item_separator.len())?;
            }
            self.write_line_end(state, out, depth + 1)?;
            write(state, out, entry)?;
        }
        if !entries.is_empty() {
            self.write_line_end(state, out, depth)?;
        }
        out.push(close);
        Ok(())
    }

    fn write_line_end(
        &self,
        state: &mut State,
        out: &mut String,
        depth: usize,
    ) -> Result<(), Error> {
        if let Some(indent) = &self.indent {
            charge(state, indent.len().saturating_mul(depth))?;
            out.push('\n');
            out.extend(std::iter::repeat_n(indent.as_str(), depth));
        }
        Ok(())
    }

    /// Keys are strings in JSON; numbers and the like are quoted.
    fn write_key(&self, state: &mut State, out: &mut String, key: &Value) -> Result<(), Error> {
        let text = match key.kind() {
            ValueKind::String => key.as_str().unwrap_or_default().to_owned(),
            ValueKind::None => "null".to_owned(),
            ValueKind::Bool => (if key.is_true() { "true" } else { "false" }).to_owned(),
            ValueKind::Number => python_number(key, "NaN", "Infinity"),
            kind => return Err(bad(format!("a key of type {kind} is not JSON serializable"))),
        };
        self.write_string(state, out, &text)
    }

    fn write_string(&self, state: &mut State, out: &mut String, text: &str) -> Result<(), Error> {
        charge(state, text.len())?;
        let quoted = serde_json::Value::from(text).to_string();
        // A letter of two bytes is escaped by six.
        charge(state, quoted.len().saturating_mul(if self.ascii { 3 } else { 1 }))?;
        if !self.ascii {
            out.push_str(&quoted);
            return Ok(());
        }
        for letter in quoted.chars() {
            if matches!(letter, ' '..='~') {
                out.push(letter);
            } else {
                for half in letter.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{half:04x}").expect("writing to a string cannot fail");
                }
            }
        }
        Ok(())
    }
}

/// More spaces than any text is indented by.
const MOST_INDENT: i64 = 1 << 16;
