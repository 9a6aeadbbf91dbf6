//! One type for all values of a column, as Arrow gives it.

use serde_json::{Map, Value};

use super::Dataset;
use crate::config::eval::failure::{Eval, Failure};

/// Gives columns one type each.
pub(super) fn unify_columns(dataset: &mut Dataset, columns: &[String]) -> Eval<()> {
    for name in columns {
        let mut values: Vec<&mut Value> =
            dataset.rows.iter_mut().filter_map(|row| row.get_mut(name)).collect();
        unify(&mut values).map_err(|what| {
            Failure::raised("ArrowInvalid", format!("the column '{name}' has no one type: {what}"))
        })?;
    }
    Ok(())
}

/// Gives values one type: floats where one of them is, and all fields to all records.
fn unify(values: &mut [&mut Value]) -> Result<(), String> {
    let kind = |value: &Value| match value {
        Value::Null => None,
        Value::Bool(_) => Some("a truth"),
        Value::Number(_) => Some("a number"),
        Value::String(_) => Some("text"),
        Value::Array(_) => Some("a list"),
        Value::Object(_) => Some("a record"),
    };
    let mut kinds = values.iter().filter_map(|value| kind(value));
    let Some(first) = kinds.next() else { return Ok(()) };
    if let Some(other) = kinds.find(|other| *other != first) {
        return Err(format!("{first} beside {other}"));
    }
    match first {
        "a number" if values.iter().any(|value| value.is_f64()) => {
            for value in values.iter_mut() {
                if let Some(whole) = value.as_i64() {
                    **value = (whole as f64).into();
                }
            }
            Ok(())
        }
        "a list" => {
            let inner = values.iter_mut().filter_map(|value| value.as_array_mut()).flatten();
            unify(&mut inner.collect::<Vec<_>>())
        }
        "a record" => {
            let mut names: Vec<String> = Vec::new();
            for value in values.iter() {
                for name in value.as_object().into_iter().flat_map(Map::keys) {
                    if !names.contains(name) {
                        names.push(name.clone());
                    }
                }
            }
            for value in values.iter_mut() {
                if let Value::Object(fields) = &mut **value {
                    let whole = names.iter().map(|name| {
                        (name.clone(), fields.shift_remove(name).unwrap_or(Value::Null))
                    });
                    *fields = whole.collect();
                }
            }
            for name in &names {
                let inner =
                    values.iter_mut().filter_map(|value| value.as_object_mut()?.get_mut(name));
                unify(&mut inner.collect::<Vec<_>>())?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
