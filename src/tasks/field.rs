//! What a task makes of a row: a column, a template over all columns, or a value that is the same for every row.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use super::{TaskError, yaml::FUNCTION};
use crate::{
    chat::{ChatError, RowTemplate},
    python::{python_literal, python_str},
};

/// The columns of a row.
pub type Row = Map<String, Value>;

/// A value of a task file that says what to make of a row.
#[derive(Clone, Debug)]
pub enum Field {
    /// The column of this name; where there is none, a template.
    Text(Arc<Template>),
    /// A whole number.
    Whole(i64),
    /// Values, the same for every row.
    List(Vec<Value>),
    /// A function of Python: its file and name.
    Function(String),
}

/// A text that names a column or is a template; it is compiled when a row is first asked, for most of the thousands of
/// tasks of a folder are only listed.
#[derive(Debug)]
pub struct Template {
    source: String,
    compiled: OnceLock<Result<RowTemplate, ChatError>>,
}

impl Template {
    /// Whether it writes something, and its own last letter is no blank.
    pub(super) fn ends_in_text(&self) -> bool {
        self.source.chars().next_back().is_some_and(|last| !last.is_whitespace())
    }
}

/// A field with what errors say of it.
pub(super) struct Asked<'a> {
    pub(super) task: &'a str,
    pub(super) key: &'a str,
    pub(super) field: &'a Field,
    /// The columns of the rows that are asked; only these are looked for by their names.
    pub(super) columns: &'a [String],
    /// Whether the task has options, so that digits are a number of one of them.
    pub(super) has_choices: bool,
}

impl Field {
    pub(super) fn new(task: &str, key: &str, value: &Value) -> Result<Self, TaskError> {
        match value {
            Value::String(source) => {
                let template = Template { source: source.clone(), compiled: OnceLock::new() };
                Ok(Self::Text(Arc::new(template)))
            }
            Value::Array(items) => Ok(Self::List(items.clone())),
            Value::Object(fields) => match fields.get(FUNCTION) {
                Some(Value::String(reference)) => Ok(Self::Function(reference.clone())),
                // Options by name; what they are called is not shown.
                _ => Ok(Self::List(fields.values().cloned().collect())),
            },
            other => match other.as_i64() {
                Some(whole) => Ok(Self::Whole(whole)),
                None => Err(TaskError::task(
                    task,
                    format!("`{key}` is expected to be text, a list, a mapping or a whole number"),
                )),
            },
        }
    }
}

impl Asked<'_> {
    fn wrong<T>(&self, what: impl std::fmt::Display) -> Result<T, TaskError> {
        Err(TaskError::task(self.task, format!("`{}`: {what}", self.key)))
    }

    /// The column's value, or the template's text.
    fn resolved(&self, template: &Template, row: &Row) -> Result<Resolved, TaskError> {
        if self.columns.contains(&template.source) {
            return match row.get(&template.source) {
                Some(value) => Ok(Resolved::Column(value.clone())),
                None => self.wrong(format!("a row has no column {}", template.source)),
            };
        }
        let compile = || RowTemplate::compile(self.key, &template.source);
        match template.compiled.get_or_init(compile) {
            Ok(compiled) => match compiled.render(row) {
                Ok(text) => Ok(Resolved::Text(text)),
                Err(error) => self.wrong(error),
            },
            Err(error) => self.wrong(error),
        }
    }

    fn unknown_function<T>(&self, reference: &str) -> Result<T, TaskError> {
        self.wrong(format!("the function {reference} is Python, which is not run"))
    }

    /// A text that is put before others.
    pub(super) fn text(&self, row: &Row) -> Result<String, TaskError> {
        match self.field {
            Field::Text(template) => match self.resolved(template, row)? {
                Resolved::Text(text) | Resolved::Column(Value::String(text)) => Ok(text),
                Resolved::Column(Value::Null) => Ok(String::new()),
                Resolved::Column(_) => self.wrong("a column is no text"),
            },
            Field::Function(reference) => self.unknown_function(reference),
            Field::Whole(_) | Field::List(_) => self.wrong("text is expected"),
        }
    }

    /// The question: text, or the number of one of several.
    pub(super) fn question(&self, row: &Row) -> Result<Value, TaskError> {
        match self.field {
            Field::Whole(whole) => Ok((*whole).into()),
            Field::Text(template) => match self.resolved(template, row)? {
                Resolved::Column(value) => Ok(value),
                Resolved::Text(text) => self.number_or_text(text),
            },
            Field::Function(reference) => self.unknown_function(reference),
            Field::List(_) => self.wrong("text is expected, not a list"),
        }
    }

    /// The answer: text, the number of an option, or a list of answers.
    pub(super) fn target(&self, row: &Row) -> Result<Value, TaskError> {
        match self.field {
            Field::Whole(whole) => Ok((*whole).into()),
            Field::List(items) => Ok(items.clone().into()),
            Field::Function(reference) => self.unknown_function(reference),
            Field::Text(template) => match self.resolved(template, row)? {
                Resolved::Column(value) => Ok(value),
                Resolved::Text(text)
                    if text.len() >= 2 && text.starts_with('[') && text.ends_with(']') =>
                {
                    Ok(python_literal(&text).unwrap_or_else(|| text.into()))
                }
                Resolved::Text(text) => self.number_or_text(text),
            },
        }
    }

    /// The options.
    pub(super) fn choices(&self, row: &Row) -> Result<Vec<String>, TaskError> {
        let items = match self.field {
            Field::List(items) => items.clone(),
            Field::Function(reference) => return self.unknown_function(reference),
            Field::Whole(_) => return self.wrong("options are expected, not a number"),
            Field::Text(template) => {
                let value = match self.resolved(template, row)? {
                    Resolved::Column(value) => Some(value),
                    Resolved::Text(text) => python_literal(&text),
                };
                match value {
                    Some(Value::Array(items)) => items,
                    _ => return self.wrong("a list of options is expected"),
                }
            }
        };
        Ok(items.iter().map(python_str).collect())
    }

    /// Digits are a number where there are options to be numbered.
    fn number_or_text(&self, text: String) -> Result<Value, TaskError> {
        let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
        if !is_number || !self.has_choices {
            return Ok(text.into());
        }
        match python_literal(&text) {
            Some(number) => Ok(number),
            None => self.wrong(format!("{text} cannot be read as a number")),
        }
    }
}

enum Resolved {
    Column(Value),
    Text(String),
}
