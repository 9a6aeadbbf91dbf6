//! A task file with what it includes.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{
    TaskError,
    yaml::{self, FUNCTION},
};

/// The keys of a file over those of the files that it includes, and functions with the folder in which they stand:
/// `{"!function": "/folder/utils.process_docs"}`.
pub(super) fn read(path: &Path) -> Result<Map<String, Value>, TaskError> {
    included(path, &mut Vec::new())
}

fn included(path: &Path, seen: &mut Vec<PathBuf>) -> Result<Map<String, Value>, TaskError> {
    let path =
        path.canonicalize().map_err(|source| TaskError::Read { path: path.to_owned(), source })?;
    // As in the original, a file that two others include ends in this error, too.
    if seen.contains(&path) {
        return Err(TaskError::file(&path, "it is included again by what includes it"));
    }
    seen.push(path.clone());
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut fields = yaml::read(&path)?;
    fields.values_mut().for_each(|value| place_functions(value, folder));
    let Some(includes) = fields.shift_remove("include") else { return Ok(fields) };
    let includes = match includes {
        Value::Array(items) => items,
        one => vec![one],
    };
    let mut merged = Map::new();
    for include in includes {
        let Some(include) = include.as_str() else {
            return Err(TaskError::file(&path, "`include` names files"));
        };
        let mut own = included(&folder.join(include), seen)?;
        own.shift_remove("task_list");
        merged.extend(own);
    }
    merged.extend(fields);
    Ok(merged)
}

/// Writes the folder before the references of functions.
fn place_functions(value: &mut Value, folder: &Path) {
    match value {
        Value::Object(fields) => match fields.get_mut(FUNCTION) {
            Some(Value::String(reference)) => {
                *reference = folder.join(&*reference).to_string_lossy().into_owned();
            }
            _ => fields.values_mut().for_each(|value| place_functions(value, folder)),
        },
        Value::Array(items) => items.iter_mut().for_each(|item| place_functions(item, folder)),
        _ => {}
    }
}
