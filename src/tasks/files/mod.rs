//! The files that lm-eval's `EvaluationTracker` writes of a run: `results_….json` and `samples_….jsonl`.
//!
//! Texts are made of values, and written by others; time, name and place of a run are arguments. What the original says
//! of its own surroundings, such as the version of torch, is what the caller says of ours.

mod results;
mod samples;

use std::sync::LazyLock;

use crate::python::regex::PythonRegex;

pub use self::{
    results::{RunFacts, results_file, results_value},
    samples::samples_file,
};

/// What cannot stand in the name of a folder.
static ODD: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r#"[\"<>:/|\\?*\[\]]+"#));

/// A model's name as that of a folder.
pub fn folder_name(model: &str) -> String {
    ODD.replace(model, "__").unwrap_or_else(|_| model.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_folders() {
        assert_eq!(folder_name("golden/fake-model"), "golden__fake-model");
        assert_eq!(folder_name(r"C:\\a?b"), "C__a__b");
    }
}
