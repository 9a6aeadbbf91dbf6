//! Which rows of a data set a task asks, and which it shows as examples.

use std::{borrow::Cow, collections::BTreeMap};

use serde_json::Value as Json;

use super::{Examples, TaskError, TaskPlan, field::Row};
use crate::{
    config::functions::{Function, Value as FunctionValue},
    dataset::Sample,
};

/// The rows that a task is about.
#[derive(Clone)]
pub struct TaskRows<'a> {
    /// Those that are asked.
    pub documents: Cow<'a, [Row]>,
    /// Those that examples are drawn from.
    pub examples: Cow<'a, [Row]>,
    /// Whether the documents may be among the examples.
    pub is_shared: bool,
}

impl TaskPlan {
    /// The split that is asked: the one for tests, else the one for validation.
    pub fn asked_split(&self) -> Option<&str> {
        self.test_split.as_deref().or(self.validation_split.as_deref())
    }

    /// The split that examples are drawn from, if they are no rows of the task file.
    pub fn example_split(&self) -> Option<&str> {
        match &self.fewshot.examples {
            Examples::Split(split) => Some(split),
            Examples::Inline(_) | Examples::Made(_) => None,
            Examples::Rule => [&self.training_split, &self.validation_split, &self.test_split]
                .into_iter()
                .find_map(|split| split.as_deref()),
        }
    }

    /// The rows among the splits of its data set.
    ///
    /// # Errors
    ///
    /// Where the data set lacks a split that the task names, the task asks none, or a function fails.
    pub fn rows<'a>(
        &'a self,
        splits: &'a BTreeMap<String, Vec<Row>>,
    ) -> Result<TaskRows<'a>, TaskError> {
        let rows = |split: &str| {
            let what = || {
                let known: Vec<&str> = splits.keys().map(String::as_str).collect();
                format!("its data set has no split '{split}', but {}", known.join(", "))
            };
            splits.get(split).ok_or_else(|| TaskError::task(&self.name, what()))
        };
        let Some(asked) = self.asked_split() else {
            let what = "it names neither test_split nor validation_split, so nothing is asked";
            return Err(TaskError::task(&self.name, what));
        };
        if let Some(key) = &self.beyond {
            return Err(TaskError::task(&self.name, format!("`{key}` cannot be asked here")));
        }
        let own = self.process_docs.as_ref();
        let documents = self.processed(own, rows(asked)?)?;
        let examples = match &self.fewshot.examples {
            Examples::Inline(rows) => Cow::Borrowed(&**rows),
            Examples::Made(function) => Cow::Owned(self.made_by(function, &[])?),
            Examples::Split(split) => {
                self.processed(self.fewshot.process_docs.as_ref(), rows(split)?)?
            }
            Examples::Rule => match self.example_split() {
                Some(split) if split != asked => self.processed(own, rows(split)?)?,
                _ => documents.clone(),
            },
        };
        Ok(TaskRows { documents, examples, is_shared: self.shows_documents() })
    }

    /// Whether the documents may be among the examples.
    pub fn shows_documents(&self) -> bool {
        let named = match &self.fewshot.examples {
            Examples::Split(split) => Some(split),
            Examples::Inline(_) | Examples::Made(_) | Examples::Rule => None,
        };
        // Where both are left out they are the same, too: the original compares nothing with nothing.
        named == self.test_split.as_ref()
    }

    /// What a function makes of rows; the rows themselves where there is none.
    fn processed<'a>(
        &self,
        function: Option<&Function>,
        rows: &'a [Row],
    ) -> Result<Cow<'a, [Row]>, TaskError> {
        match function {
            None => Ok(Cow::Borrowed(rows)),
            Some(function) => {
                Ok(Cow::Owned(self.made_by(function, &[FunctionValue::Rows(rows.to_vec())])?))
            }
        }
    }

    /// The rows that a function gives: a data set, or a list of dicts.
    fn made_by(
        &self,
        function: &Function,
        arguments: &[FunctionValue],
    ) -> Result<Vec<Row>, TaskError> {
        let name = function.name();
        let wrong = |what: String| TaskError::task(&self.name, format!("{name}: {what}"));
        let made = function.call(arguments).map_err(|error| wrong(error.to_string()))?;
        if let FunctionValue::Rows(rows) = made {
            return Ok(rows);
        }
        let kind = made.kind();
        let Some(Json::Array(items)) = made.to_json() else {
            return Err(wrong(format!("rows are expected, not a {kind}")));
        };
        let row = |item: Json| match item {
            Json::Object(row) => Ok(row),
            _ => Err(wrong("a row is a dict".to_owned())),
        };
        items.into_iter().map(row).collect()
    }
}

/// The column that a document's answer is put into, beside its own.
pub const ANSWER_COLUMN: &str = "doc_to_target";

/// A row as the task sees it: without the column of its answer.
pub fn document(sample: &Sample) -> Row {
    let own = sample.iter().filter(|(name, _)| *name != ANSWER_COLUMN);
    own.map(|(name, value)| (name.to_owned(), value.clone())).collect()
}
