//! Which rows of a data set a task asks, and which it shows as examples.

use std::collections::BTreeMap;

use super::{Examples, TaskError, TaskPlan, field::Row};

/// The rows that a task is about.
#[derive(Clone, Copy)]
pub struct TaskRows<'a> {
    /// Those that are asked.
    pub documents: &'a [Row],
    /// Those that examples are drawn from.
    pub examples: &'a [Row],
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
            Examples::Inline(_) => None,
            Examples::Rule => [&self.training_split, &self.validation_split, &self.test_split]
                .into_iter()
                .find_map(|split| split.as_deref()),
        }
    }

    /// The rows among the splits of its data set.
    ///
    /// # Errors
    ///
    /// Where the data set lacks a split that the task names, or the task asks none.
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
        let examples = match &self.fewshot.examples {
            Examples::Inline(rows) => rows,
            Examples::Split(_) | Examples::Rule => match self.example_split() {
                Some(split) => rows(split)?,
                None => rows(asked)?,
            },
        };
        let named = match &self.fewshot.examples {
            Examples::Split(split) => Some(split),
            Examples::Inline(_) | Examples::Rule => None,
        };
        // Where both are left out they are the same, too: the original compares nothing with nothing.
        let is_shared = named == self.test_split.as_ref();
        Ok(TaskRows { documents: rows(asked)?, examples, is_shared })
    }
}
