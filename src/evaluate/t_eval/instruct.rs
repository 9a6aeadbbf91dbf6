//! Whether a call is written in the form that was asked for, and names the right action and arguments.

use serde_json::{Map, Value};

use super::{
    super::{EvaluateError, acc_with_details::are_equal},
    case::Case,
    parsed::read,
};
use crate::{
    postprocess::PythonRegex,
    python::{is_blank, python_literal},
};

/// What a call is worth, each from 0 to 1.
pub(super) struct Worth {
    pub(super) is_json: bool,
    pub(super) format: f64,
    pub(super) arguments: f64,
}

/// The action of a call, and its arguments.
struct Call {
    action: Value,
    arguments: Map<String, Value>,
}

pub(super) fn worth(case: &Case<'_>) -> Result<Worth, EvaluateError> {
    let is_json = match case.text("/meta_data/response_format")? {
        "json" => true,
        "string" => false,
        _ => return Err(case.unreadable("a response_format of json or string")),
    };
    let call = if is_json { of_json(case) } else { of_text(case)? };
    let Some(call) = call else { return Ok(Worth { is_json, format: 0.0, arguments: 0.0 }) };
    let expected = case.value("/ground_truth/args").and_then(Value::as_object);
    let expected = expected.ok_or_else(|| case.unreadable("a call with a record of arguments"))?;
    let action = case.value("/ground_truth/action");
    let action = usize::from(action.is_some_and(|action| are_equal(action, &call.action)));
    let nothing = Value::from("");
    let right = expected
        .iter()
        .filter(|(name, value)| are_equal(call.arguments.get(*name).unwrap_or(&nothing), value));
    let arguments = (action + right.count()) as f64 / (expected.len() + 1) as f64;
    Ok(Worth { is_json, format: 1.0, arguments })
}

fn of_json(case: &Case<'_>) -> Option<Call> {
    let written = read(case.prediction(), None)?;
    let part = |name: &str| {
        let key = case.value(&format!("/template/{name}"))?.as_str()?;
        written.get(key).cloned()
    };
    part("thought")?;
    let action = part("action")?;
    Some(Call { action, arguments: part("args")?.as_object().cloned().unwrap_or_default() })
}

/// The parts between the marks of the template, which are patterns.
fn of_text(case: &Case<'_>) -> Result<Option<Call>, EvaluateError> {
    let mut pattern = String::new();
    for part in ["thought", "action", "args"] {
        pattern.push_str(case.text(&format!("/template/{part}_start"))?);
        pattern.push_str("(.*)");
        pattern.push_str(case.text(&format!("/template/{part}_end"))?);
    }
    let pattern = PythonRegex::dotall(&pattern).map_err(|error| case.failed(error))?;
    let text = case.prediction().as_str().unwrap_or_default();
    let Some(found) = pattern.search(text).map_err(|error| case.failed(error))? else {
        return Ok(None);
    };
    let part = |group| found.get(group).map_or("", |found| found.as_str().trim_matches(is_blank));
    let arguments = python_literal(part(3)).and_then(|value| value.as_object().cloned());
    Ok(Some(Call { action: part(2).into(), arguments: arguments.unwrap_or_default() }))
}
