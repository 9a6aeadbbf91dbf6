//! Nodes and configs as Python source.
//!
//! OpenCompass's command line writes the evaluated config down, every dict sorted by its keys' text,
//! and runs what it reads back; the order of labels and columns follows from that. [`Config::sorted`]
//! is that order, and a config printed here reads back as the same values. Line breaks are our own.

use std::fmt::Write as _;

use super::{
    Config,
    value::{Node, Value},
};
use crate::python::{write_float, write_text};

/// A value that fits into a line of this length is not broken.
const LINE_CHARS: usize = 80;
/// Indentation of one level.
const INDENT: &str = "    ";
/// Words that Python does not take as names of arguments.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

impl Config {
    /// The same config with variables and all dicts sorted by `str(key)`, as OpenCompass runs it.
    pub fn sorted(&self) -> Self {
        let mut variables = self.variables.clone();
        variables.sort_by(|(left, _), (right, _)| left.cmp(right));
        for (_, node) in &mut variables {
            sort(node);
        }
        Self { variables, files: self.files.clone() }
    }

    /// The sorted config as a file in Python syntax. Types are written as strings of their paths.
    pub fn to_python(&self) -> String {
        let mut printer = Printer { remarks: &NoRemarks, path: Vec::new(), out: String::new() };
        for (name, node) in &self.sorted().variables {
            printer.variable(name, node);
        }
        printer.out
    }

    /// The config as a file in Python syntax, in its own order, with remarks as comments and an empty line between variables.
    pub fn to_python_with(&self, remarks: &dyn Remarks) -> String {
        let mut printer = Printer { remarks, path: Vec::new(), out: String::new() };
        for (place, (name, node)) in self.variables.iter().enumerate() {
            if place > 0 {
                printer.out.push('\n');
            }
            printer.variable(name, node);
        }
        printer.out
    }
}

/// What is said of the values of a config, line by line. A place is the path of keys that leads there; items of lists
/// have no key.
pub trait Remarks {
    /// Lines above an entry.
    fn above(&self, path: &[&str]) -> Vec<String>;
    /// Lines behind the last entry of a dict.
    fn behind(&self, path: &[&str]) -> Vec<String>;
}

struct NoRemarks;

impl Remarks for NoRemarks {
    fn above(&self, _: &[&str]) -> Vec<String> {
        Vec::new()
    }

    fn behind(&self, _: &[&str]) -> Vec<String> {
        Vec::new()
    }
}

fn sort(node: &mut Node) {
    match &mut node.value {
        Value::List(items) | Value::Tuple(items) => items.iter_mut().for_each(sort),
        Value::Dict(entries) => {
            entries.sort_by_cached_key(|(key, _)| match key.as_str() {
                Some(name) => name.to_owned(),
                None => repr(key),
            });
            for (_, value) in entries {
                sort(value);
            }
        }
        _ => {}
    }
}

/// Writes values, and remarks between them.
struct Printer<'a> {
    remarks: &'a dyn Remarks,
    /// The keys that lead to what is being written.
    path: Vec<String>,
    out: String,
}

impl Printer<'_> {
    fn variable(&mut self, name: &str, node: &Node) {
        self.path.push(name.to_owned());
        for line in self.remarks.above(&[name]) {
            let _ = writeln!(self.out, "# {line}");
        }
        let _ = write!(self.out, "{name} = ");
        self.node(node, 0, name.len() + 3);
        self.out.push('\n');
        self.path.pop();
    }

    /// Writes a value that starts at `column` of a line at indentation `level`.
    fn node(&mut self, node: &Node, level: usize, column: usize) {
        let inline = repr(node);
        let is_empty = node.as_list().is_some_and(<[_]>::is_empty);
        // Dicts are always written as calls, which `repr` does not do.
        if !matches!(node.value, Value::Dict(_))
            && (is_empty || !holds_dict(node) && column + inline.chars().count() < LINE_CHARS)
        {
            self.out.push_str(&inline);
            return;
        }
        let (open, close) = match &node.value {
            Value::Dict(entries) if entries.iter().all(|(key, _)| is_argument(key)) => {
                ("dict(", ")")
            }
            Value::Dict(_) => ("{", "}"),
            Value::Tuple(_) => ("(", ")"),
            Value::List(_) => ("[", "]"),
            _ => {
                self.out.push_str(&inline);
                return;
            }
        };
        self.out.push_str(open);
        let margin = INDENT.repeat(level + 1);
        let begun = self.out.len();
        for item in node.as_list().unwrap_or_default() {
            let _ = write!(self.out, "\n{margin}");
            self.node(item, level + 1, margin.len());
            self.out.push(',');
        }
        for (key, value) in node.as_dict().unwrap_or_default() {
            let name = match key.as_str() {
                Some(name) if open == "dict(" => format!("{name}="),
                _ => format!("{}: ", repr(key)),
            };
            self.path.push(key.as_str().map_or_else(|| repr(key), str::to_owned));
            self.lines(&margin, |remarks, path| remarks.above(path));
            let _ = write!(self.out, "\n{margin}{name}");
            self.node(value, level + 1, margin.len() + name.chars().count());
            self.out.push(',');
            self.path.pop();
        }
        if node.as_dict().is_some() {
            self.lines(&margin, |remarks, path| remarks.behind(path));
        }
        if self.out.len() > begun {
            let _ = write!(self.out, "\n{}", INDENT.repeat(level));
        }
        self.out.push_str(close);
    }

    /// Writes what is said at the place that is being written.
    fn lines(&mut self, margin: &str, of: impl Fn(&dyn Remarks, &[&str]) -> Vec<String>) {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        for line in of(self.remarks, &path) {
            let _ = write!(self.out, "\n{margin}# {line}");
        }
    }
}

fn holds_dict(node: &Node) -> bool {
    match &node.value {
        Value::Dict(_) => true,
        Value::List(items) | Value::Tuple(items) => items.iter().any(holds_dict),
        _ => false,
    }
}

/// Whether a key can be written as `key=` in `dict(…)`.
fn is_argument(key: &Node) -> bool {
    let Value::Str(name) = &key.value else { return false };
    let starts_well =
        name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    starts_well
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !KEYWORDS.contains(&name.as_str())
}

/// A value as a Python expression on one line.
pub fn repr(node: &Node) -> String {
    let mut out = String::new();
    write_inline(node, &mut out);
    out
}

fn write_inline(node: &Node, out: &mut String) {
    match &node.value {
        Value::None => out.push_str("None"),
        Value::Bool(flag) => out.push_str(if *flag { "True" } else { "False" }),
        Value::Int(number) => _ = write!(out, "{number}"),
        Value::Float(number) if number.is_finite() => out.push_str(&float(*number)),
        Value::Float(number) => _ = write!(out, "float('{}')", float(*number)),
        Value::Str(text) | Value::Type(text) => write_text(out, text),
        Value::List(items) => write_joined(items, "[", "]", out),
        Value::Tuple(items) if items.len() == 1 => write_joined(items, "(", ",)", out),
        Value::Tuple(items) => write_joined(items, "(", ")", out),
        Value::Dict(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_inline(key, out);
                out.push_str(": ");
                write_inline(value, out);
            }
            out.push('}');
        }
    }
}

fn write_joined(items: &[Node], open: &str, close: &str, out: &mut String) {
    out.push_str(open);
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        write_inline(item, out);
    }
    out.push_str(close);
}

/// A float as Python's `repr` writes it.
pub(super) fn float(number: f64) -> String {
    let mut text = String::new();
    write_float(&mut text, number);
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_python_writes_them() {
        let quoted = |text: &str| repr(&Value::Str(text.into()).into());
        assert_eq!(quoted("it's"), "\"it's\"");
        assert_eq!(quoted("'\"\n\u{7f}\u{3000}é"), "'\\'\"\\n\\x7f\\u3000é'");
        assert_eq!([1e-5, 1e16, 0.1, 2.0].map(float), ["1e-05", "1e+16", "0.1", "2.0"]);
        let node = Node::from_json(&json!({"a": [1, null], "b": {"$items": [[0, true]]}}));
        assert_eq!(repr(&node), "{'a': [1, None], 'b': {0: True}}");
        let single = Value::Tuple(vec![Value::Float(f64::INFINITY).into()]).into();
        assert_eq!(repr(&single), "(float('inf'),)");
    }

    #[test]
    fn a_config_is_printed_sorted() {
        let node = json!({"b": [], "a": {"$items": [[10, 1], [9, {"is": 1}]]}, "c": ["x", {}]});
        let variables =
            vec![("z".into(), Node::from_json(&json!("y"))), ("d".into(), Node::from_json(&node))];
        let config = Config { variables, files: vec![] };
        let expected = "d = dict(\n    a={\n        10: 1,\n        9: {\n            'is': 1,\n        \
                        },\n    },\n    b=[],\n    c=[\n        'x',\n        dict(),\n    ],\n)\nz = 'y'\n";
        assert_eq!(config.to_python(), expected);
    }

    #[test]
    fn remarks_stand_above_entries_and_behind_the_last() {
        struct Paths;
        impl Remarks for Paths {
            fn above(&self, path: &[&str]) -> Vec<String> {
                vec![path.join(".")]
            }
            fn behind(&self, path: &[&str]) -> Vec<String> {
                vec![format!("end of {}", path.join("."))]
            }
        }
        let node = |json| Node::from_json(&json);
        let variables = vec![
            ("z".to_owned(), node(json!([{"b": 1, "a": {}}]))),
            ("d".to_owned(), node(json!("y"))),
        ];
        let config = Config { variables, files: vec![] };
        let expected = "\
# z
z = [
    dict(
        # z.b
        b=1,
        # z.a
        a=dict(
            # end of z.a
        ),
        # end of z
    ),
]

# d
d = 'y'
";
        assert_eq!(config.to_python_with(&Paths), expected);
    }
}
