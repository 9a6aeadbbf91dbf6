//! The fields of a body, taken one by one; what nobody took is refused by name.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::problem::Problem;

/// Fields that change no answer.
const WITHOUT_EFFECT: [&str; 5] =
    ["user", "metadata", "prompt_cache_key", "safety_identifier", "service_tier"];

/// Most letters of a value that a message shows.
const SHOWN_LETTERS: usize = 60;

/// What a body says.
#[derive(Debug)]
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    /// Reads a body.
    pub(super) fn read(body: &[u8]) -> Result<Self, Problem> {
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(other) => Err(Problem::body(format!(
                "the body should be a JSON object, found {}",
                shown(&other)
            ))),
            Err(error) => Err(Problem::body(format!("the body is not JSON: {error}"))),
        }
    }

    /// A field's value; `null` is none.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        // Not `remove`, which would change the order of the others.
        self.0.shift_remove(name).filter(|value| !value.is_null())
    }

    /// Whether a switch is on.
    pub(super) fn switch(&mut self, name: &str) -> Result<Option<bool>, Problem> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(on)) => Ok(Some(on)),
            Some(other) => Err(wrong(name, "true or false", &other)),
        }
    }

    /// A whole number in a range.
    pub(super) fn count(
        &mut self,
        name: &str,
        range: RangeInclusive<usize>,
    ) -> Result<Option<usize>, Problem> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = whole(&value).and_then(|number| usize::try_from(number).ok());
        match number.filter(|number| range.contains(number)) {
            Some(number) => Ok(Some(number)),
            None if *range.end() == usize::MAX => {
                Err(wrong(name, &format!("a whole number from {}", range.start()), &value))
            }
            None => {
                let expected = format!("a whole number from {} to {}", range.start(), range.end());
                Err(wrong(name, &expected, &value))
            }
        }
    }

    /// A whole number, also below zero.
    pub(super) fn integer(&mut self, name: &str) -> Result<Option<i64>, Problem> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match whole(&value) {
            Some(number) => Ok(Some(number)),
            None => Err(wrong(name, "a whole number", &value)),
        }
    }

    /// A number in a range.
    pub(super) fn number(
        &mut self,
        name: &str,
        range: RangeInclusive<f64>,
    ) -> Result<Option<f64>, Problem> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = value.as_f64().filter(|number| range.contains(number));
        let expected = || format!("a number from {} to {}", range.start(), range.end());
        number.map(Some).ok_or_else(|| wrong(name, &expected(), &value))
    }

    /// A text.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Problem> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, "a text", &other)),
        }
    }

    /// Refuses a field that would change the answer, unless its value is one of those that change nothing.
    pub(super) fn refuse(&mut self, name: &str, neutral: &[Value]) -> Result<(), Problem> {
        match self.take(name) {
            Some(value) if !neutral.iter().any(|one| is_equal(one, &value)) => {
                let message = format!(
                    "`{name}` is not supported here; leave it out, found {}",
                    shown(&value)
                );
                Err(Problem {
                    code: Some("unsupported_parameter"),
                    ..Problem::field(name, message)
                })
            }
            _ => Ok(()),
        }
    }

    /// Refuses what is left.
    pub(super) fn finish(mut self) -> Result<(), Problem> {
        for name in WITHOUT_EFFECT {
            self.take(name);
        }
        match self.0.into_iter().find(|(_, value)| !value.is_null()) {
            Some((name, _)) => {
                let message = format!("`{}` is not a field that this server knows", cut(&name));
                Err(Problem { code: Some("unknown_parameter"), ..Problem::field(&name, message) })
            }
            None => Ok(()),
        }
    }
}

/// The error of a field that is not what it should be.
pub(super) fn wrong(name: &str, expected: &str, found: &Value) -> Problem {
    Problem::field(name, format!("`{name}` should be {expected}, found {}", shown(found)))
}

/// A value as a message shows it.
pub(super) fn shown(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A whole number, also one that is written 3.0.
fn whole(value: &Value) -> Option<i64> {
    let of_float =
        |number: f64| (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64);
    value
        .as_i64()
        .or_else(|| value.as_u64().is_none().then(|| value.as_f64().and_then(of_float))?)
}

fn is_equal(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => (one - other).abs() == 0.0,
        _ => one == other,
    }
}
