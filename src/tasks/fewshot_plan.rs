//! How examples are shown: where they come from, how they are drawn and written.

use serde_json::{Map, Value};

use super::{TaskError, field::Field, keys::Keys, yaml::FUNCTION};
use crate::config::functions::Function;

/// How examples are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampler {
    /// By a generator that goes on from document to document.
    Default,
    /// The first ones.
    FirstN,
}

/// Where examples come from.
#[derive(Clone, Debug)]
pub enum Examples {
    /// A split of the data set.
    Split(String),
    /// Rows of the task file.
    Inline(Vec<Map<String, Value>>),
    /// Rows that a function gives.
    Made(Function),
    /// The training rows, else the validation rows, else those that are asked.
    Rule,
}

/// How examples are shown; what a file does not say of them is as for the document itself.
#[derive(Clone, Debug)]
pub struct FewshotPlan {
    /// How they are drawn.
    pub sampler: Sampler,
    /// Where they come from.
    pub examples: Examples,
    /// What is made of the rows of a split that is named for examples; the task's own where the file does not say.
    pub process_docs: Option<Function>,
    /// Their questions.
    pub doc_to_text: Option<Field>,
    /// Their answers.
    pub doc_to_target: Option<Field>,
    /// Their options.
    pub doc_to_choice: Option<Field>,
    /// What their answers begin with.
    pub gen_prefix: Option<Field>,
    /// What stands between question and answer.
    pub target_delimiter: String,
    /// What follows each example.
    pub fewshot_delimiter: String,
    /// The rows that are shown, by their numbers; all where none is named.
    pub indices: Option<Vec<usize>>,
}

impl FewshotPlan {
    /// Reads it from the keys of a task.
    pub(super) fn of(
        keys: &Keys<'_>,
        target_delimiter: &str,
        fewshot_delimiter: &str,
    ) -> Result<Self, TaskError> {
        let own = keys.mapping("fewshot_config")?;
        let own_keys = Keys { files: keys.files, task: keys.task, fields: &own };
        let sampler = match own_keys.text("sampler")?.as_deref() {
            None | Some("default") => Sampler::Default,
            Some("first_n") => Sampler::FirstN,
            Some(_) => return own_keys.wrong("sampler", "default or first_n"),
        };
        let split = match own_keys.text("split")? {
            None => keys.text("fewshot_split")?,
            split => split,
        };
        let examples = match (split, own_keys.get("samples")) {
            (Some(split), _) => Examples::Split(split),
            (None, Some(Value::Array(rows))) => {
                let row = |row: &Value| match row {
                    Value::Object(row) => Ok(row.clone()),
                    _ => own_keys.wrong("samples", "a list of rows"),
                };
                Examples::Inline(rows.iter().map(row).collect::<Result<_, _>>()?)
            }
            (None, Some(Value::Object(function))) if function.contains_key(FUNCTION) => {
                match own_keys.function("samples")? {
                    Some(function) => Examples::Made(function),
                    None => Examples::Rule,
                }
            }
            (None, Some(_)) => return own_keys.wrong("samples", "a list of rows"),
            (None, None) => Examples::Rule,
        };
        let field = |key: &str| match own_keys.field(key)? {
            None => keys.field(key),
            field => Ok(field),
        };
        let indices = match own_keys.get("fewshot_indices") {
            None => None,
            Some(value) => {
                let numbers = value.as_array().map(|items| {
                    items
                        .iter()
                        .map(|item| item.as_u64().and_then(|item| usize::try_from(item).ok()))
                });
                match numbers.map(Iterator::collect::<Option<Vec<usize>>>) {
                    Some(Some(numbers)) => Some(numbers),
                    _ => return own_keys.wrong("fewshot_indices", "a list of whole numbers"),
                }
            }
        };
        let text = |key: &str, default: &str| -> Result<String, TaskError> {
            Ok(own_keys.text(key)?.unwrap_or_else(|| default.to_owned()))
        };
        let process_docs = match own_keys.function("process_docs")? {
            None => keys.function("process_docs")?,
            own => own,
        };
        Ok(Self {
            sampler,
            examples,
            process_docs,
            doc_to_text: field("doc_to_text")?,
            doc_to_target: field("doc_to_target")?,
            doc_to_choice: field("doc_to_choice")?,
            gen_prefix: field("gen_prefix")?,
            target_delimiter: text("target_delimiter", target_delimiter)?,
            fewshot_delimiter: text("fewshot_delimiter", fewshot_delimiter)?,
            indices,
        })
    }
}
