//! The best formats as a config that runs them.

use std::path::{Path, PathBuf};

use super::VaryError;
use crate::{
    config::{Node, Value, locate},
    plan::RunPlan,
    store::write_atomically,
};

/// Fields of an entry that name files.
const FILE_FIELDS: [&str; 4] = ["path", "tokenizer_path", "peft_path", "data_files"];

/// Writes data sets and models, of the config at `config`, to `output`: every name resolved, so that nothing else is
/// read. Files that are found from there alone are written with their whole path. What was written is read again, and has
/// to be the same plan.
pub(super) fn write(
    head: &[String],
    mut plan: RunPlan,
    config: &Path,
    output: &Path,
) -> Result<(), VaryError> {
    let datasets = plan.datasets.iter_mut().map(|dataset| &mut dataset.node);
    for node in datasets.chain(plan.models.iter_mut().map(|model| &mut model.node)) {
        for field in FILE_FIELDS {
            if let Some(named) = node.get_mut(field) {
                make_findable(named, config, output);
            }
        }
    }
    let dump = plan.dump();
    let head: Vec<String> = head.iter().map(|line| format!("# {line}")).collect();
    write_atomically(output, format!("{}\n{dump}", head.join("\n")).as_bytes())?;
    let otherwise = |why: String| VaryError::ReadsOtherwise { path: output.to_owned(), why };
    let read =
        RunPlan::load(&[output.to_owned()], &[]).map_err(|error| otherwise(error.to_string()))?;
    if read.dump() != dump {
        return Err(otherwise("its entries are others".to_owned()));
    }
    Ok(())
}

/// Names of files that are found from the config and not, or another file, from the output, become whole.
fn make_findable(named: &mut Node, config: &Path, output: &Path) {
    match &mut named.value {
        Value::Str(name) => {
            let Some(there) = locate(Path::new(name), config) else { return };
            let whole = std::path::absolute(&there).unwrap_or(there);
            let from_output = locate(Path::new(name), output)
                .map(|found| std::path::absolute(&found).unwrap_or(found));
            if from_output.as_ref() != Some(&whole) {
                *name = whole.display().to_string();
            }
        }
        Value::List(items) | Value::Tuple(items) => {
            for item in items {
                make_findable(item, config, output);
            }
        }
        Value::Dict(entries) => {
            for (_, value) in entries {
                make_findable(value, config, output);
            }
        }
        _ => (),
    }
}

/// The file for one of several models.
pub(super) fn path_of_model(output: &Path, model: &str) -> PathBuf {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    let model: String =
        model.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let ending = output.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
    output.with_file_name(format!("{stem}-{model}{}", ending.unwrap_or_default()))
}
