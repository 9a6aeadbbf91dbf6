//! The comparisons `<`, `<=`, `>`, `>=` and `in`, as Python makes them.
//!
//! The engine puts all values in one order and looks for anything in a text. Python refuses to order a
//! text and a number, and in a template such a comparison is a mistake that should be told.

use std::cmp::Ordering;

use minijinja::{
    Error, ErrorKind, State, Value,
    value::{ObjectRepr, Rest, ValueKind},
};

use super::{
    bad,
    sequences::{collected, is_list},
};
use crate::chat::limits::{check_nesting, read};

/// `a < b == c …`: values and operators in turn; all must hold. Unlike in Python, all of the values are
/// computed even if the first comparison fails.
#[expect(clippy::needless_pass_by_value, reason = "it is how the engine passes arguments")]
pub(super) fn compared(state: &mut State, chain: Rest<Value>) -> Result<bool, Error> {
    for comparison in chain.0.windows(3).step_by(2) {
        let [left, operator, right] = comparison else { break };
        if !holds(state, left, operator.as_str().unwrap_or_default(), right)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn holds(state: &mut State, left: &Value, operator: &str, right: &Value) -> Result<bool, Error> {
    Ok(match operator {
        "==" => left == right,
        "!=" => left != right,
        "in" => contains(state, right, left)?,
        "not in" => !contains(state, right, left)?,
        _ => {
            let order = order(state, left, operator, right, 0)?;
            match operator {
                "<" => order.is_some_and(Ordering::is_lt),
                "<=" => order.is_some_and(Ordering::is_le),
                ">" => order.is_some_and(Ordering::is_gt),
                _ => order.is_some_and(Ordering::is_ge),
            }
        }
    })
}

/// How two values are ordered; not a number is in no order with anything.
fn order(
    state: &mut State,
    left: &Value,
    operator: &str,
    right: &Value,
    depth: usize,
) -> Result<Option<Ordering>, Error> {
    check_nesting(depth)?;
    if let (Some(left), Some(right)) = (left.as_str(), right.as_str()) {
        read(state, left.len().min(right.len()))?;
        return Ok(Some(left.cmp(right)));
    }
    let is_number = |value: &Value| matches!(value.kind(), ValueKind::Number | ValueKind::Bool);
    if is_number(left) && is_number(right) {
        let is_nan = |value: &Value| f64::try_from(value.clone()).is_ok_and(f64::is_nan);
        return Ok((!is_nan(left) && !is_nan(right)).then(|| number(left).cmp(&number(right))));
    }
    if is_list(left) && is_list(right) && left.is_tuple() == right.is_tuple() {
        let (left, right) = (collected(state, left)?, collected(state, right)?);
        return match left.iter().zip(&right).find(|(left, right)| left != right) {
            Some((left, right)) => order(state, left, operator, right, depth + 1),
            None => Ok(Some(left.len().cmp(&right.len()))),
        };
    }
    if left.is_undefined() || right.is_undefined() {
        let what = format!("a side of `{operator}` is undefined");
        return Err(Error::new(ErrorKind::UndefinedError, what));
    }
    Err(bad(format!(
        "'{operator}' not supported between instances of '{}' and '{}'",
        type_name(left),
        type_name(right)
    )))
}

/// A number or a truth value as a number.
fn number(value: &Value) -> Value {
    match value.kind() {
        ValueKind::Bool => Value::from(i64::from(value.is_true())),
        _ => value.clone(),
    }
}

/// `value in container`.
fn contains(state: &mut State, container: &Value, value: &Value) -> Result<bool, Error> {
    if let Some(text) = container.as_str() {
        let Some(part) = value.as_str() else {
            let found = type_name(value);
            return Err(bad(format!("'in <string>' requires string as left operand, not {found}")));
        };
        read(state, text.len())?;
        return Ok(text.contains(part));
    }
    if container.is_undefined() {
        return Ok(false);
    }
    match container.as_object().map(|object| (object, object.repr())) {
        Some((object, ObjectRepr::Map)) => Ok(object.get_value(value).is_some()),
        Some((_, ObjectRepr::Seq | ObjectRepr::Iterable)) => {
            for item in container.try_iter()?.checked() {
                if item? == *value {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        _ => Err(bad(format!("argument of type '{}' is not iterable", type_name(container)))),
    }
}

/// The name of a value's type in Python.
fn type_name(value: &Value) -> String {
    let name = match value.kind() {
        ValueKind::Undefined => "Undefined",
        ValueKind::None => "NoneType",
        ValueKind::Bool => "bool",
        ValueKind::Number if value.is_integer() => "int",
        ValueKind::Number => "float",
        ValueKind::String => "str",
        ValueKind::Map => "dict",
        _ if value.is_tuple() => "tuple",
        _ if is_list(value) => "list",
        kind => return kind.to_string(),
    };
    name.to_owned()
}
