//! Values that go into functions and come out of them.

use std::rc::Rc;

use serde_json::{Map, Number, Value as Json};

use super::{
    Interpreter,
    failure::{Eval, Failure},
    heap::too_deep,
    library::{Dataset, Native},
    limits::VALUE_DEPTH,
    object::{Object, Slot, SourceLine},
};
use crate::{config::print, python::write_text};

/// A value of Python that holds no program: what a function is given, and what it gives back.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A float, which may be no number or without end.
    Float(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A tuple.
    Tuple(Vec<Value>),
    /// A set, in no order.
    Set(Vec<Value>),
    /// A dict, in its order.
    Dict(Vec<(Value, Value)>),
    /// Rows of a data set, each with the same columns.
    Rows(Vec<Map<String, Json>>),
}

impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Self::None,
            Json::Bool(flag) => Self::Bool(*flag),
            Json::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => Self::Int(whole),
                (None, float) => Self::Float(float.unwrap_or(f64::NAN)),
            },
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Json::Object(fields) => Self::from(fields),
        }
    }
}

impl From<&Map<String, Json>> for Value {
    fn from(fields: &Map<String, Json>) -> Self {
        let entry = |(key, value): (&String, &Json)| (Self::Text(key.clone()), Self::from(value));
        Self::Dict(fields.iter().map(entry).collect())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Value {
    /// What Python calls this kind of value.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::None => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Text(_) => "str",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Set(_) => "set",
            Self::Dict(_) => "dict",
            Self::Rows(_) => "Dataset",
        }
    }

    /// The value as JSON: tuples are lists. Nothing for sets, for keys that are no texts, and for numbers that JSON has
    /// not.
    pub fn to_json(&self) -> Option<Json> {
        Some(match self {
            Self::None => Json::Null,
            Self::Bool(flag) => Json::Bool(*flag),
            Self::Int(number) => (*number).into(),
            Self::Float(number) => Json::Number(Number::from_f64(*number)?),
            Self::Text(text) => Json::String(text.clone()),
            Self::List(items) | Self::Tuple(items) => {
                Json::Array(items.iter().map(Self::to_json).collect::<Option<_>>()?)
            }
            Self::Dict(entries) => {
                let entry = |(key, value): &(Self, Self)| match key {
                    Self::Text(key) => Some((key.clone(), value.to_json()?)),
                    _ => None,
                };
                Json::Object(entries.iter().map(entry).collect::<Option<_>>()?)
            }
            Self::Rows(rows) => Json::Array(rows.iter().cloned().map(Json::Object).collect()),
            Self::Set(_) => return None,
        })
    }

    /// Python's `repr` of the value. That of a set is in the order in which it was made, which is none.
    pub fn repr(&self) -> String {
        let mut out = String::new();
        self.write_repr(&mut out);
        out
    }

    /// Python's `str` of the value: text is itself.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            other => other.repr(),
        }
    }

    fn write_repr(&self, out: &mut String) {
        let items = |out: &mut String, open: &str, items: &[Self], close: &str| {
            out.push_str(open);
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                item.write_repr(out);
            }
            out.push_str(close);
        };
        match self {
            Self::None => out.push_str("None"),
            Self::Bool(flag) => out.push_str(if *flag { "True" } else { "False" }),
            Self::Int(number) => out.push_str(&number.to_string()),
            Self::Float(number) => out.push_str(&print::float(*number)),
            Self::Text(text) => write_text(out, text),
            Self::List(own) => items(out, "[", own, "]"),
            Self::Tuple(own) => items(out, "(", own, if own.len() == 1 { ",)" } else { ")" }),
            Self::Set(own) if own.is_empty() => out.push_str("set()"),
            Self::Set(own) => items(out, "{", own, "}"),
            Self::Dict(entries) => {
                out.push('{');
                for (at, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { ", " });
                    key.write_repr(out);
                    out.push_str(": ");
                    value.write_repr(out);
                }
                out.push('}');
            }
            Self::Rows(rows) => {
                let rows: Vec<Self> = rows.iter().map(Self::from).collect();
                items(out, "[", &rows, "]");
            }
        }
    }

    /// The value under a text key of a dict.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Dict(entries) = self else { return None };
        let is_key = |own: &Self| matches!(own, Self::Text(text) if text == key);
        entries.iter().find(|(own, _)| is_key(own)).map(|(_, value)| value)
    }
}

impl Interpreter {
    /// A value that comes in.
    pub(super) fn object(&mut self, value: &Value) -> Eval<Object> {
        let place = SourceLine::default();
        let mut slots = |items: &[Value]| -> Eval<Vec<Slot>> {
            items.iter().map(|item| Ok(Slot { object: self.object(item)?, place })).collect()
        };
        Ok(match value {
            Value::None => Object::None,
            Value::Bool(flag) => Object::Bool(*flag),
            Value::Int(number) => Object::Int(*number),
            Value::Float(number) => Object::Float(*number),
            Value::Text(text) => self.heap.new_text(&**text)?,
            Value::List(items) => {
                let slots = slots(items)?;
                self.heap.new_list(slots, place)?
            }
            Value::Tuple(items) => {
                let slots = slots(items)?;
                self.heap.new_tuple(slots, place)?
            }
            Value::Set(items) => {
                let slots = slots(items)?;
                self.heap.new_set(slots, place)?
            }
            Value::Dict(entries) => {
                let dict = self.heap.new_dict(place)?;
                for (key, value) in entries {
                    let key = self.object(key)?;
                    let slot = Slot { object: self.object(value)?, place };
                    self.heap.insert(dict, key, slot)?;
                }
                Object::Dict(dict)
            }
            Value::Rows(rows) => Native::Dataset(Rc::new(Dataset::new(rows.clone()))).object(),
        })
    }

    /// A value that goes out. What gives values one by one is gone through.
    pub(super) fn plain(&mut self, object: &Object) -> Eval<Value> {
        self.plain_within(object, VALUE_DEPTH)
    }

    fn plain_within(&mut self, object: &Object, depth: usize) -> Eval<Value> {
        let place = SourceLine::default();
        let Some(depth) = depth.checked_sub(1) else { return Err(too_deep()) };
        self.heap.limits.steps(1)?;
        let all = |this: &mut Self, slots: Vec<Slot>| -> Eval<Vec<Value>> {
            slots.iter().map(|slot| this.plain_within(&slot.object, depth)).collect()
        };
        Ok(match object {
            Object::None => Value::None,
            Object::Bool(flag) => Value::Bool(*flag),
            Object::Int(number) => Value::Int(*number),
            Object::Float(number) => Value::Float(*number),
            Object::Str(text) => {
                self.heap.limits.text(text.len())?;
                Value::Text(text.to_string())
            }
            Object::Tuple(index) => {
                let slots = self.heap.tuple(*index).slots.clone();
                Value::Tuple(all(self, slots)?)
            }
            Object::Set(index) => {
                let slots = self.heap.set(*index).members.values().cloned().collect();
                Value::Set(all(self, slots)?)
            }
            Object::List(_) | Object::Range(_) | Object::Iterator(_) => {
                let slots = self.collect(object, place)?;
                Value::List(all(self, slots)?)
            }
            Object::Dict(index) => {
                let entries: Vec<_> = self.heap.dict(*index).entries.values().cloned().collect();
                let mut made = Vec::with_capacity(entries.len());
                for entry in entries {
                    let key = self.plain_within(&entry.key, depth)?;
                    made.push((key, self.plain_within(&entry.value.object, depth)?));
                }
                Value::Dict(made)
            }
            Object::Native(native) => match &**native {
                Native::Dataset(dataset) => Value::Rows(dataset.rows.clone()),
                Native::Array(_) => {
                    let slots = self.collect(object, place)?;
                    Value::List(all(self, slots)?)
                }
                Native::Missing(path) => return Err(super::library::unknown(path)),
                other => return Err(no_value(other.kind())),
            },
            other => return Err(no_value(other.kind())),
        })
    }

    /// A value as JSON, as a column of a row holds it.
    pub(super) fn json(&mut self, object: &Object) -> Eval<Json> {
        let value = self.plain(object)?;
        value.to_json().ok_or_else(|| {
            Failure::unsupported("a set, a key that is no text or a number without end in a row")
        })
    }
}

fn no_value(kind: &str) -> Box<Failure> {
    Failure::unsupported(format_args!("a {kind} as what a function gives back"))
}
