//! What a task makes of a row: a column, a template over all columns, or a value that is the same for every row.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use super::{TaskError, yaml::FUNCTION};
use crate::{
    chat::{ChatError, RowTemplate},
    config::functions::{Function, FunctionFiles, Value as FunctionValue},
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
    /// A function of the row.
    Function(Function),
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
    /// A single word without a template around it: the name of a column, or the same text for every row.
    pub(crate) fn word(&self) -> Option<&str> {
        let Self::Text(template) = self else { return None };
        let source = template.source.as_str();
        let is_word = source.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        (is_word && source.starts_with(|first: char| first.is_alphabetic())).then_some(source)
    }

    pub(super) fn new(
        task: &str,
        key: &str,
        value: &Value,
        files: &FunctionFiles,
    ) -> Result<Self, TaskError> {
        match value {
            Value::String(source) => {
                let template = Template { source: source.clone(), compiled: OnceLock::new() };
                Ok(Self::Text(Arc::new(template)))
            }
            Value::Array(items) => Ok(Self::List(items.clone())),
            Value::Object(fields) => match fields.get(FUNCTION) {
                Some(Value::String(reference)) => Ok(Self::Function(files.function(reference))),
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
                Err(ChatError::Render { line, problem, .. }) => {
                    let columns: Vec<&str> = row.keys().map(String::as_str).collect();
                    self.wrong(format!(
                        "line {} of its template: {problem}; the row has the columns {}",
                        line.unwrap_or(1),
                        columns.join(", ")
                    ))
                }
                Err(error) => self.wrong(error),
            },
            Err(error) => self.wrong(error),
        }
    }

    /// What a function makes of the row. What it writes into the row stays there for the fields that come after it.
    fn called(&self, function: &Function, row: &mut Row) -> Result<Value, TaskError> {
        let given = FunctionValue::from(&*row);
        let (made, changed) = match function.call_changing(std::slice::from_ref(&given)) {
            Ok(made) => made,
            Err(error) => return self.wrong(error),
        };
        if let Some(changed) = changed.into_iter().next().filter(|changed| *changed != given)
            && let Err(what) = put_back(row, &changed)
        {
            return self.wrong(format!("{}: {what}", function.name()));
        }
        match made.to_json() {
            Some(made) => Ok(made),
            None => self.wrong(format!("{} gives back a {}", function.name(), made.kind())),
        }
    }

    /// A text that is put before others.
    pub(super) fn text(&self, row: &mut Row) -> Result<String, TaskError> {
        match self.field {
            Field::Text(template) => match self.resolved(template, row)? {
                Resolved::Text(text) | Resolved::Column(Value::String(text)) => Ok(text),
                Resolved::Column(Value::Null) => Ok(String::new()),
                Resolved::Column(_) => self.wrong("a column is no text"),
            },
            Field::Function(function) => match self.called(function, row)? {
                Value::String(text) => Ok(text),
                _ => self.wrong("text is expected"),
            },
            Field::Whole(_) | Field::List(_) => self.wrong("text is expected"),
        }
    }

    /// The question: text, or the number of one of several.
    pub(super) fn question(&self, row: &mut Row) -> Result<Value, TaskError> {
        match self.field {
            Field::Whole(whole) => Ok((*whole).into()),
            Field::Text(template) => match self.resolved(template, row)? {
                Resolved::Column(value) => Ok(value),
                Resolved::Text(text) => self.number_or_text(text),
            },
            Field::Function(function) => self.called(function, row),
            Field::List(_) => self.wrong("text is expected, not a list"),
        }
    }

    /// The answer: text, the number of an option, or a list of answers.
    pub(super) fn target(&self, row: &mut Row) -> Result<Value, TaskError> {
        match self.field {
            Field::Whole(whole) => Ok((*whole).into()),
            Field::List(items) => Ok(items.clone().into()),
            Field::Function(function) => self.called(function, row),
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
    pub(super) fn choices(&self, row: &mut Row) -> Result<Vec<String>, TaskError> {
        let items = match self.field {
            Field::List(items) => items.clone(),
            Field::Function(function) => match self.called(function, row)? {
                Value::Array(items) => items,
                _ => return self.wrong("a list of options is expected"),
            },
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

/// Makes a row what a function has left of it.
pub(super) fn put_back(row: &mut Row, changed: &FunctionValue) -> Result<(), String> {
    let FunctionValue::Dict(entries) = changed else {
        return Err(format!("a function cannot use a {} as the document", changed.kind()));
    };
    let mut left = Row::new();
    for (key, value) in entries {
        let FunctionValue::Text(key) = key else {
            return Err(format!("a function cannot use a {} as a column's name", key.kind()));
        };
        // What it left alone stays as it is: a number may be longer than those of functions.
        let own = row.shift_remove(key).filter(|own| FunctionValue::from(own) == *value);
        let own = own.or_else(|| value.to_json().filter(|own| FunctionValue::from(own) == *value));
        let Some(own) = own else {
            let what = format!("a function cannot use a {} in the column {key}", value.kind());
            return Err(format!("{what}, which the next function would not find as it is"));
        };
        left.insert(key.clone(), own);
    }
    *row = left;
    Ok(())
}

enum Resolved {
    Column(Value),
    Text(String),
}
