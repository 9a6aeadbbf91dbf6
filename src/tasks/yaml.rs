//! YAML as `PyYAML` reads it for lm-eval: version 1.1's scalars, merge keys, anchors, and `!function`.
//!
//! Values are JSON's; a function is an object with the one key [`FUNCTION`]. Timestamps stay text, and a key that is no text
//! becomes what Python's `str` makes of it; no task file has one that would tell the difference.

use std::{collections::HashMap, path::Path};

use libyaml_safer::{EventData, Parser, ScalarStyle};
use serde_json::{Map, Value};

use super::{TaskError, scalar};
use crate::{
    panic_guard,
    python::python_str,
    regular_file::{self, MOST_SETTINGS_BYTES},
};

/// The key of a function's reference: `{"!function": "utils.process_docs"}`.
pub(crate) const FUNCTION: &str = "!function";

/// Deepest nesting that is followed.
const DEEPEST: usize = 64;

/// Most values of a file, those that aliases repeat included.
const MOST_VALUES: usize = 1 << 20;

/// The mapping of a file.
pub(super) fn read(path: &Path) -> Result<Map<String, Value>, TaskError> {
    let text = regular_file::read_text(path, MOST_SETTINGS_BYTES)
        .map_err(|source| TaskError::Read { path: path.to_owned(), source })?;
    match parse(&text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(TaskError::file(path, "a mapping of keys is expected")),
        Err(problem) => Err(TaskError::file(path, problem)),
    }
}

/// The value of a text's one document.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let odd = |why| Err(format!("this is not YAML: {why}"));
    panic_guard::guarded(|| document(text)).unwrap_or_else(odd)
}

fn document(text: &str) -> Result<Value, String> {
    let mut bytes = text.as_bytes();
    let mut parser = Parser::new();
    parser.set_input_string(&mut bytes);
    let mut reader = Reader { parser, anchors: HashMap::new(), values: 0 };
    let value = loop {
        match reader.next()? {
            EventData::StreamEnd => return Ok(Value::Null),
            EventData::StreamStart { .. } | EventData::DocumentStart { .. } => {}
            event => break reader.value(event, 0)?,
        }
    };
    loop {
        match reader.next()? {
            EventData::StreamEnd => return Ok(value),
            EventData::DocumentEnd { .. } => {}
            _ => return Err("this YAML has more than one document".to_owned()),
        }
    }
}

struct Reader<'r, 'b> {
    parser: Parser<&'r mut &'b [u8]>,
    anchors: HashMap<String, Value>,
    values: usize,
}

impl Reader<'_, '_> {
    fn next(&mut self) -> Result<EventData, String> {
        let event = self.parser.parse().map_err(|error| format!("this is not YAML: {error}"))?;
        Ok(event.data)
    }

    fn value(&mut self, event: EventData, depth: usize) -> Result<Value, String> {
        self.values += 1;
        if depth > DEEPEST || self.values > MOST_VALUES {
            return Err("this YAML is nested too deep, or repeats too much".to_owned());
        }
        let (anchor, value) = match event {
            EventData::Scalar { value, style, anchor, tag, .. } => {
                (anchor, scalar_value(&value, style, tag.as_deref())?)
            }
            EventData::SequenceStart { anchor, tag, .. } => {
                known(tag.as_deref(), "seq")?;
                (anchor, self.sequence(depth)?)
            }
            EventData::MappingStart { anchor, tag, .. } => {
                known(tag.as_deref(), "map")?;
                (anchor, self.mapping(depth)?)
            }
            EventData::Alias { anchor } => {
                let value = self.anchors.get(&anchor);
                let value = value.ok_or("an alias stands before its anchor")?;
                self.values += size(value);
                if self.values > MOST_VALUES {
                    return Err("this YAML repeats too much".to_owned());
                }
                return Ok(value.clone());
            }
            _ => return Err("this YAML ends early".to_owned()),
        };
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    fn sequence(&mut self, depth: usize) -> Result<Value, String> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                EventData::SequenceEnd => return Ok(Value::Array(items)),
                event => items.push(self.value(event, depth + 1)?),
            }
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Value, String> {
        let (mut merged, mut own) = (Map::new(), Map::new());
        loop {
            let event = match self.next()? {
                EventData::MappingEnd => break,
                event => event,
            };
            let is_merge = matches!(
                &event,
                EventData::Scalar { value, style: ScalarStyle::Plain, tag: None, .. } if value == "<<"
            );
            let key = self.value(event, depth + 1)?;
            let event = self.next()?;
            let value = self.value(event, depth + 1)?;
            if is_merge {
                merge(&mut merged, value)?;
                continue;
            }
            let key = match key {
                Value::String(key) => key,
                Value::Array(_) | Value::Object(_) => {
                    return Err("a key is a list or a mapping".to_owned());
                }
                other => python_str(&other),
            };
            own.insert(key, value);
        }
        // What is merged comes first, and the mapping's own keys win.
        merged.extend(own);
        Ok(Value::Object(merged))
    }
}

/// What `<<` puts into a mapping: of several mappings the first wins.
fn merge(merged: &mut Map<String, Value>, value: Value) -> Result<(), String> {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                merged.entry(key).or_insert(value);
            }
            Ok(())
        }
        Value::Array(items) => items.into_iter().try_for_each(|item| merge(merged, item)),
        _ => Err("<< is expected to hold a mapping".to_owned()),
    }
}

/// Bytes of a text that an alias repeats which count as a value.
const VALUE_BYTES: usize = 32;

/// How many values a value is made of; a long text counts for several.
fn size(value: &Value) -> usize {
    let text = |text: &str| 1 + text.len() / VALUE_BYTES;
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| text(key) + size(value)).sum::<usize>() + 1
        }
        Value::String(own) => text(own),
        _ => 1,
    }
}

/// What tags of YAML itself begin with; they are written `!!str`.
const OWN_TAGS: &str = "tag:yaml.org,2002:";

fn scalar_value(text: &str, style: ScalarStyle, tag: Option<&str>) -> Result<Value, String> {
    match tag.map(|tag| tag.strip_prefix(OWN_TAGS).unwrap_or(tag)) {
        Some("!function") => {
            Ok(Value::Object([(FUNCTION.to_owned(), text.into())].into_iter().collect()))
        }
        Some("str" | "!") => Ok(text.into()),
        Some("int" | "float" | "bool" | "null") => Ok(scalar::resolved(text)),
        Some(tag) => Err(format!("the tag {tag} is not known")),
        None if style == ScalarStyle::Plain => Ok(scalar::resolved(text)),
        None => Ok(text.into()),
    }
}

fn known(tag: Option<&str>, wanted: &str) -> Result<(), String> {
    match tag {
        Some(tag) if tag.strip_prefix(OWN_TAGS) != Some(wanted) => {
            Err(format!("the tag {tag} is not known"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_are_read_as_pyyaml_reads_them() {
        let text = "task: a\nlist: &l [1, 0x1F, 017, 1_000, 1e3, 1.0e+3, .5, yes, Off, ~, 'yes', 1:30]\nagain: *l\nbase: &b {x: 1, y: 2}\nown: {<<: *b, y: 3}\nprocess_docs: !function utils.f\ntext: |\n  two\n  lines\n1: one\n";
        assert_eq!(
            parse(text),
            Ok(json!({
                "task": "a",
                "list": [1, 31, 15, 1000, "1e3", 1000.0, 0.5, true, false, null, "yes", 90],
                "again": [1, 31, 15, 1000, "1e3", 1000.0, 0.5, true, false, null, "yes", 90],
                "base": {"x": 1, "y": 2},
                "own": {"x": 1, "y": 3},
                "process_docs": {"!function": "utils.f"},
                "text": "two\nlines\n",
                "1": "one",
            }))
        );
        for broken in ["a: [1", "a: *x", "a: !other x", "a: b: c"] {
            assert!(parse(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn aliases_cannot_grow_without_bounds() {
        let levels = (1..10).map(|level| {
            let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
            format!("a{level}: &a{level} [{aliases}]\n")
        });
        let text = format!("a0: &a0 [{}]\n{}", ["x"; 10].join(", "), levels.collect::<String>());
        assert!(parse(&text).is_err());
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(1 << 20), "*a, ".repeat(1000));
        assert!(parse(&long).is_err());
    }
}
