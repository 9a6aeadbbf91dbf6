//! `json.loads` and `json.dumps`.

use serde_json::Value;

use crate::{
    config::eval::{
        Interpreter,
        call::Arguments,
        container::Flavour,
        failure::{Eval, Failure},
        limits::VALUE_DEPTH,
        object::{Object, Slot, SourceLine},
    },
    config::print,
    python::write_string,
};

use super::text_of;

/// `json.loads(text)`.
pub(super) fn loads(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [text] = arguments.exactly()?;
    let text = text_of(Some(text), "json.loads()")?;
    it.heap.limits.reading(text.len())?;
    match serde_json::from_str::<Value>(&text) {
        Ok(value) if has_vast(&value) => Err(Failure::too_big()),
        Ok(value) => it.json_object(&value, place),
        Err(_) if ["NaN", "Infinity", "\\u"].iter().any(|odd| text.contains(odd)) => {
            Err(Failure::unsupported("this JSON, which is Python's own or holds half a letter"))
        }
        Err(error) => Err(Failure::raised("json.JSONDecodeError", error.to_string())),
    }
}

/// `json.dumps(value)`.
pub(super) fn dumps(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let ascii = match arguments.keyword("ensure_ascii") {
        Some(flag) => it.truth(&flag)?,
        None => true,
    };
    let sorts = match arguments.keyword("sort_keys") {
        Some(flag) => it.truth(&flag)?,
        None => false,
    };
    let indent = match arguments.keyword("indent") {
        None | Some(Object::None) => None,
        Some(Object::Int(blanks @ 0..=16)) => usize::try_from(blanks).ok(),
        Some(_) => return Err(Failure::unsupported("this indentation of JSON")),
    };
    let [value] = arguments.exactly()?;
    let mut writer = Writer { it, out: String::new(), ascii, sorts, indent };
    writer.write(&value, 0)?;
    let out = writer.out;
    it.heap.new_text(out)
}

struct Writer<'a> {
    it: &'a Interpreter,
    out: String,
    ascii: bool,
    sorts: bool,
    indent: Option<usize>,
}

impl Writer<'_> {
    fn write(&mut self, value: &Object, depth: usize) -> Eval<()> {
        self.it.heap.limits.steps(1)?;
        if depth > VALUE_DEPTH {
            return Err(Failure::value_error("Circular reference detected"));
        }
        match value {
            Object::None => self.out.push_str("null"),
            Object::Bool(flag) => self.out.push_str(if *flag { "true" } else { "false" }),
            Object::Int(number) => self.out.push_str(&number.to_string()),
            Object::Float(number) => self.out.push_str(&float(*number)),
            Object::Str(text) => {
                self.it.heap.limits.text(text.len())?;
                write_string(&mut self.out, text, self.ascii);
            }
            Object::List(_) | Object::Tuple(_) => {
                self.it.heap.ordered(value)?;
                let slots = self.it.heap.items(value).unwrap_or_default();
                self.out.push('[');
                for (at, slot) in slots.iter().enumerate() {
                    self.item(at, depth);
                    self.write(&slot.object, depth + 1)?;
                }
                self.close(']', slots.is_empty(), depth);
            }
            Object::Dict(index) => {
                let dict = self.it.heap.dict(*index);
                if matches!(dict.flavour, Flavour::Default(_)) {
                    self.it.heap.limits.steps(1)?;
                }
                let mut entries = Vec::with_capacity(dict.entries.len());
                for entry in dict.entries.values() {
                    let key = match &entry.key {
                        Object::Str(text) => text.to_string(),
                        Object::None => "null".to_owned(),
                        Object::Bool(flag) => flag.to_string(),
                        Object::Int(number) => number.to_string(),
                        Object::Float(number) => float(*number),
                        other => {
                            let message = format!(
                                "keys must be str, int, float, bool or None, not {}",
                                other.kind()
                            );
                            return Err(Failure::type_error(message));
                        }
                    };
                    entries.push((key, &entry.value.object, matches!(entry.key, Object::Str(_))));
                }
                if self.sorts {
                    if !entries.iter().all(|(_, _, is_text)| *is_text) {
                        return Err(Failure::unsupported("sorted keys that are no texts"));
                    }
                    entries.sort_by(|left, right| left.0.cmp(&right.0));
                }
                self.out.push('{');
                let is_empty = entries.is_empty();
                for (at, (key, value, _)) in entries.into_iter().enumerate() {
                    self.item(at, depth);
                    write_string(&mut self.out, &key, self.ascii);
                    self.out.push_str(": ");
                    self.write(value, depth + 1)?;
                }
                self.close('}', is_empty, depth);
            }
            other => {
                let message = format!("Object of type {} is not JSON serializable", other.kind());
                return Err(Failure::type_error(message));
            }
        }
        Ok(())
    }

    /// What stands before an item.
    fn item(&mut self, at: usize, depth: usize) {
        match self.indent {
            None => self.out.push_str(if at == 0 { "" } else { ", " }),
            Some(blanks) => {
                self.out.push_str(if at == 0 { "\n" } else { ",\n" });
                self.out.push_str(&" ".repeat(blanks * (depth + 1)));
            }
        }
    }

    fn close(&mut self, end: char, is_empty: bool, depth: usize) {
        if let (Some(blanks), false) = (self.indent, is_empty) {
            self.out.push('\n');
            self.out.push_str(&" ".repeat(blanks * depth));
        }
        self.out.push(end);
    }
}

/// Whether a number is so great that a whole one would have become a float.
fn has_vast(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.is_u64() && number.as_i64().is_none()
                || number.is_f64() && number.as_f64().is_some_and(|float| float.abs() >= 9.2e18)
        }
        Value::Array(items) => items.iter().any(has_vast),
        Value::Object(fields) => fields.values().any(has_vast),
        _ => false,
    }
}

fn float(number: f64) -> String {
    match number {
        number if number.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        number => print::float(number),
    }
}

impl Interpreter {
    /// A value of JSON.
    pub(in crate::config::eval) fn json_object(
        &mut self,
        value: &Value,
        place: SourceLine,
    ) -> Eval<Object> {
        Ok(match value {
            Value::Null => Object::None,
            Value::Bool(flag) => Object::Bool(*flag),
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(number), _) => Object::Int(number),
                (None, _) if number.is_u64() => return Err(Failure::too_big()),
                (None, Some(number)) => Object::Float(number),
                (None, None) => return Err(Failure::too_big()),
            },
            Value::String(text) => self.heap.new_text(&**text)?,
            Value::Array(items) => {
                let mut slots = Vec::with_capacity(items.len());
                for item in items {
                    slots.push(Slot { object: self.json_object(item, place)?, place });
                }
                self.heap.new_list(slots, place)?
            }
            Value::Object(entries) => {
                let dict = self.heap.new_dict(place)?;
                for (key, value) in entries {
                    let key = self.heap.new_text(&**key)?;
                    let slot = Slot { object: self.json_object(value, place)?, place };
                    self.heap.insert(dict, key, slot)?;
                }
                Object::Dict(dict)
            }
        })
    }
}
