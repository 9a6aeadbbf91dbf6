//! Plain values of an evaluated config, each with the place in a file that it came from.
//!
//! A config file is a program; what is left of it after evaluation is data. This is that data, and
//! nothing else of the program: functions, modules and aliasing have ended. The origin travels with
//! every value so that an error found much later still names a file and a line.

use std::{fmt, path::Path, sync::Arc};

/// The file of values that come from none.
const MEMORY: &str = "<memory>";

/// A place in a config file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file, as it was opened; `<string>` style names stand for values made in memory.
    pub file: Arc<Path>,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
}

impl Origin {
    /// An origin for values that come from no file.
    pub fn memory() -> Self {
        Self { file: Arc::from(Path::new(MEMORY)), line: 0 }
    }

    /// Whether it is no place that a person could look at.
    pub fn is_memory(&self) -> bool {
        *self.file == *Path::new(MEMORY)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}", self.file.display())
        } else {
            write!(f, "{}:{}", self.file.display(), self.line)
        }
    }
}

/// A value and where it was written. Two nodes are equal when their values are; origins do not
/// count.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it was written.
    pub origin: Origin,
}

/// The kinds of plain value a config can end in.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Python's `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string.
    Str(String),
    /// A list.
    List(Vec<Node>),
    /// A tuple.
    Tuple(Vec<Node>),
    /// A dict, in insertion order; keys are any hashable value.
    Dict(Vec<(Node, Node)>),
    /// A class or function named by its dotted path, such as
    /// `opencompass.models.HuggingFaceCausalLM`; never loaded, never called.
    Type(String),
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        Self { value, origin: Origin::memory() }
    }
}

impl Node {
    /// A value written at `origin`.
    pub fn new(value: Value, origin: Origin) -> Self {
        Self { value, origin }
    }

    /// The same value, all of it written at `origin`.
    #[must_use]
    pub fn written_at(self, origin: &Origin) -> Self {
        let all =
            |nodes: Vec<Self>| nodes.into_iter().map(|node| node.written_at(origin)).collect();
        let value = match self.value {
            Value::List(items) => Value::List(all(items)),
            Value::Tuple(items) => Value::Tuple(all(items)),
            Value::Dict(entries) => Value::Dict(
                entries
                    .into_iter()
                    .map(|(key, value)| (key.written_at(origin), value.written_at(origin)))
                    .collect(),
            ),
            plain => plain,
        };
        Self { value, origin: origin.clone() }
    }

    /// Whether this is Python's `None`.
    pub fn is_none(&self) -> bool {
        matches!(self.value, Value::None)
    }

    /// The truth value, of a bool only.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    /// The integer, of an int only.
    pub fn as_int(&self) -> Option<i64> {
        match self.value {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }

    /// The number, of a float or an int.
    pub fn as_float(&self) -> Option<f64> {
        match self.value {
            Value::Int(number) => Some(number as f64),
            Value::Float(number) => Some(number),
            _ => None,
        }
    }

    /// The text of a string, or the dotted path of a type.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::Str(text) | Value::Type(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list or a tuple.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) | Value::Tuple(items) => Some(items),
            _ => None,
        }
    }

    /// The entries of a dict, in order.
    pub fn as_dict(&self) -> Option<&[(Node, Node)]> {
        match &self.value {
            Value::Dict(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value under a string key, if this is a dict that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_dict()?.iter().find(|(name, _)| is_key(name, key)).map(|(_, value)| value)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let Value::Dict(entries) = &mut self.value else { return None };
        entries.iter_mut().find(|(name, _)| is_key(name, key)).map(|(_, value)| value)
    }

    /// Puts a value under a string key, in place or at the end. Anything but a dict stays as it is.
    pub fn set(&mut self, key: &str, value: Node) {
        let Value::Dict(entries) = &mut self.value else { return };
        if let Some((_, slot)) = entries.iter_mut().find(|(name, _)| is_key(name, key)) {
            *slot = value;
        } else {
            let name = Node::new(Value::Str(key.to_owned()), value.origin.clone());
            entries.push((name, value));
        }
    }

    /// Takes the value under a string key out of a dict.
    pub fn remove(&mut self, key: &str) -> Option<Node> {
        let Value::Dict(entries) = &mut self.value else { return None };
        let index = entries.iter().position(|(name, _)| is_key(name, key))?;
        Some(entries.remove(index).1)
    }

    /// What Python calls this kind of value: `str`, `list`, `NoneType`, …
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::None => "NoneType",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Str(_) => "str",
            Value::List(_) => "list",
            Value::Tuple(_) => "tuple",
            Value::Dict(_) => "dict",
            Value::Type(_) => "type",
        }
    }

    /// Kind and beginning of the value, for messages: `str 'abc'`.
    pub fn describe(&self) -> String {
        const SHOWN_CHARS: usize = 40;
        match &self.value {
            Value::None => "None".to_owned(),
            Value::Type(path) => format!("type {path}"),
            _ => {
                let text = super::print::repr(self);
                let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
                if shown.len() < text.len() {
                    shown.push('…');
                }
                format!("{} {shown}", self.kind())
            }
        }
    }
}

fn is_key(node: &Node, key: &str) -> bool {
    matches!(&node.value, Value::Str(name) if name == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dict_entries_are_found_replaced_and_removed_by_string_key_only() {
        let int = |number| Node::from(Value::Int(number));
        let mut dict = Node::from(Value::Dict(vec![(Value::Type("a".into()).into(), int(0))]));
        assert_eq!(dict.get("a"), None);
        dict.set("a", int(1));
        dict.set("b", int(2));
        dict.set("a", int(3));
        assert_eq!(dict.get("a"), Some(&int(3)));
        assert_eq!(dict.remove("a"), Some(int(3)));
        assert_eq!(dict.as_dict().map(<[_]>::len), Some(2));
    }

    #[test]
    fn long_values_are_cut_in_messages() {
        let node = Node::from(Value::Str("x".repeat(100)));
        assert_eq!(node.describe(), format!("str '{}…", "x".repeat(39)));
    }
}
