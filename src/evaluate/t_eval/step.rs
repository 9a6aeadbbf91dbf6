//! One step of an agent: its thought and arguments by what they mean, its tool by name.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::{
    super::EvaluateError,
    case::Case,
    parsed::{RECORD, read, text_at},
};
use crate::{postprocess::PythonRegex, python::python_str};

/// Which part of a step is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    /// All of it, in a record.
    All,
    Thought,
    Name,
    Arguments,
}

/// A step and the one that is right, each without what it lacks.
pub(super) struct Steps {
    written: Map<String, Value>,
    right: Map<String, Value>,
}

impl Part {
    /// The parts that have a figure.
    pub(super) fn figures(self) -> &'static [&'static str] {
        match self {
            Self::All => &["thought", "name", "args"],
            Self::Thought => &["thought"],
            Self::Name => &["name"],
            Self::Arguments => &["args"],
        }
    }

    /// Both steps of a case.
    pub(super) fn steps(self, case: &Case<'_>) -> Result<Steps, EvaluateError> {
        let right = case.value("/ground_truth").map(|own| self.step(own)).unwrap_or_default();
        let own = if self == Self::All { "json" } else { "str" };
        let form = case.value("/meta_data/response_format").and_then(Value::as_str).unwrap_or(own);
        let written = match form {
            "json" => self.step(case.prediction()),
            "str" => {
                let part = match self {
                    Self::All | Self::Thought => "thought",
                    Self::Name => "name",
                    Self::Arguments => "args",
                };
                Map::from_iter([(part.to_owned(), case.prediction().clone())])
            }
            _ => return Err(case.unreadable("a response_format of json or str")),
        };
        let is_unread = form == "json" && right.is_empty();
        Ok(Steps { written: if is_unread { Map::new() } else { written }, right })
    }

    /// The parts of a record; none if it is no record.
    fn step(self, written: &Value) -> Map<String, Value> {
        let Some(Value::Object(record)) = read(written, RECORD) else { return Map::new() };
        let text = |key: &str| Value::from(text_at(&record, key).unwrap_or_default());
        let arguments = if self == Self::All {
            record.get("args").and_then(Value::as_object).cloned().unwrap_or_default().into()
        } else {
            text("args")
        };
        let parts = [("thought", text("thought")), ("name", text("name")), ("args", arguments)];
        parts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

impl Steps {
    /// Whether anything could be read.
    pub(super) fn is_read(&self) -> bool {
        !self.written.is_empty()
    }

    /// A part of both, as texts; nothing where one of them has none.
    pub(super) fn texts(&self, part: &str) -> Option<[String; 2]> {
        Some([text_at(&self.written, part)?, text_at(&self.right, part)?])
    }

    /// Whether the tool is the right one: the same name, or in a free text that name and no other.
    pub(super) fn names_tool(&self, part: Part, case: &Case<'_>) -> Result<bool, EvaluateError> {
        let (Some(written), Some(right)) = (self.written.get("name"), self.right.get("name"))
        else {
            return Ok(false);
        };
        if part == Part::All {
            return Ok(written == right);
        }
        let (written, right) = (python_str(written), python_str(right));
        if !written.contains(&right) {
            return Ok(false);
        }
        let names = NAMES.all(&written).map_err(|error| case.failed(error))?;
        let ends_otherwise = right != FINISH && written.contains(FINISH);
        Ok(!ends_otherwise && names.iter().all(|name| *name == right))
    }
}

/// Names with a dot in them.
static NAMES: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\w+\.\w+"));

/// The tool that ends an agent's work.
const FINISH: &str = "FinishAction";
