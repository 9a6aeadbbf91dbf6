//! `atlas`: the JSON of an answer, for a judge.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{PatternError, Processed, blank::strip, python_regex::PythonRegex};

/// The parameters of `atlas_pred_postprocess`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    #[serde(default = "think_tags")]
    think_tags: [String; 2],
}

fn think_tags() -> [String; 2] {
    ["<think>".to_owned(), "</think>".to_owned()]
}

/// Behind the thoughts: the first block fenced as JSON, else any fenced block, else what begins with
/// the last `"answers"`; single backslashes, which LaTeX brings, are doubled. What has none of them is
/// marked as an error.
pub(super) fn process(parameters: &Parameters, text: &str) -> Processed {
    static JSON: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant("(?s)```json\n(.*?)\n```"));
    static BLOCK: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant("(?s)```(.*?)```"));

    let answer = text.rsplit_once(&parameters.think_tags[1]).map_or(text, |(_, answer)| answer);
    let block = match JSON.first(answer)? {
        Some(block) => Some(block),
        None => BLOCK.first(answer)?,
    };
    let content = match (block, answer.rsplit_once("\"answers\"")) {
        (Some(block), _) => strip(block).to_owned(),
        (None, Some((_, last))) if answer.contains("\"answers\":") => {
            format!("{{\n\"answers\"{last}")
        }
        (None, _) => return Ok(nothing()),
    };
    let content = with_double_backslashes(&content)?;
    Ok(json!({"extract_error": false, "answers": content}))
}

/// Single backslashes, which LaTeX brings, doubled, so that JSON can be read.
pub(crate) fn with_double_backslashes(text: &str) -> Result<String, PatternError> {
    static SINGLE_BACKSLASH: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r#"(?<!\\)\\(?![\\/\"bfnrtu])"#));
    SINGLE_BACKSLASH.replace(text, r"\\")
}

/// Null has no answers.
pub(super) fn process_other(_parameters: &Parameters, value: &Value) -> Option<Value> {
    value.is_null().then(nothing)
}

fn nothing() -> Value {
    json!({"extract_error": true, "answers": "{\"answers\": []}"})
}
