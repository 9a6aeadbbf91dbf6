//! Filters: what is done to a model's answers before they are scored, as lm-eval does it.
//!
//! A task has pipelines, each with a name and steps; without any there is one, `none`, which takes the first answer.
//! A step sees all answers of the task, those to one request together, and the documents that they answer. What a
//! step gets need not be what its author had in mind: `remove_whitespace` behind `take_first` goes through the
//! letters of a text, because Python does, and so it does here.

mod format_span;
mod map;
mod multi_choice_regex;
mod regex;
mod regex_pos;
mod selection;
mod spelling;

use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    TaskError,
    field::Row,
    function::{Functions, filter_class, filter_function, reference},
    value::TaskValue,
};
use crate::{
    config::nearest,
    registry::{Registration, Registry},
};

/// A step of a pipeline.
pub trait Filter: Send + Sync {
    /// The answers to each request become others, in the same order; `documents` has the one of each.
    ///
    /// # Errors
    ///
    /// Where lm-eval stops: what is wrong, in words.
    fn apply(&self, answers: Vec<TaskValue>, documents: &[&Row]) -> Result<Vec<TaskValue>, String>;
}

/// What makes a step of the keys beside `function`.
pub type FilterConstructor = fn(Map<String, Value>) -> Result<Box<dyn Filter>, String>;

/// All filters.
pub const FILTERS: Registry<FilterConstructor> = Registry {
    kind: "filter",
    registrations: &[
        Registration::new(
            "format_span",
            &[],
            "labels and names of a text, written alike",
            format_span::build,
        ),
        Registration::new("lowercase", &[], "small letters", spelling::lowercase),
        Registration::new(
            "majority_vote",
            &[],
            "the answer that is given most often",
            selection::majority_vote,
        ),
        Registration::new("map", &[], "another value for each answer", map::build),
        Registration::new(
            "multi_choice_regex",
            &[],
            "the letter of an option, else the option's text",
            multi_choice_regex::build,
        ),
        Registration::new("regex", &[], "what a pattern finds", regex::build),
        Registration::new("regex_pos", &[], "parts of speech of a list of pairs", regex_pos::build),
        Registration::new(
            "remove_whitespace",
            &[],
            "no blanks at both ends",
            spelling::remove_whitespace,
        ),
        Registration::new("take_first", &[], "the first answer", selection::take_first),
        Registration::new("take_first_k", &[], "the first k answers", selection::take_first_k),
        Registration::new("uppercase", &[], "capital letters", spelling::uppercase),
    ],
};

/// Steps that are done one after the other.
pub(super) struct Pipeline {
    pub(super) name: String,
    steps: Vec<Box<dyn Filter>>,
}

impl Pipeline {
    /// What the steps make of the answers to each request.
    pub(super) fn apply(
        &self,
        answers: Vec<TaskValue>,
        documents: &[&Row],
    ) -> Result<Vec<TaskValue>, String> {
        self.steps.iter().try_fold(answers, |answers, step| step.apply(answers, documents))
    }
}

/// The pipelines of a task, by name; of two of one name the last counts.
pub(super) fn pipelines(
    task: &str,
    filters: Option<&[Value]>,
    functions: Functions<'_>,
) -> Result<IndexMap<String, Pipeline>, TaskError> {
    let Some(filters) = filters else {
        let first =
            selection::take_first(Map::new()).map_err(|what| TaskError::task(task, what))?;
        let none = Pipeline { name: "none".to_owned(), steps: vec![first] };
        return Ok(IndexMap::from([(none.name.clone(), none)]));
    };
    let wrong = |what: String| TaskError::task(task, format!("`filter_list`: {what}"));
    let mut pipelines = IndexMap::new();
    for filter in filters {
        let pipeline = pipeline(filter, functions).map_err(wrong)?;
        pipelines.insert(pipeline.name.clone(), pipeline);
    }
    if pipelines.is_empty() {
        return Err(wrong("it names no filter, so nothing would be scored".to_owned()));
    }
    Ok(pipelines)
}

fn pipeline(filter: &Value, functions: Functions<'_>) -> Result<Pipeline, String> {
    let Some(name) = filter.get("name").and_then(Value::as_str) else {
        return Err("an entry has no name".to_owned());
    };
    let Some(steps) = filter.get("filter").and_then(Value::as_array) else {
        return Err(format!("'{name}' has no list `filter`"));
    };
    let steps =
        steps.iter().map(|keys| step(keys, functions).map_err(|what| format!("'{name}': {what}")));
    Ok(Pipeline { name: name.to_owned(), steps: steps.collect::<Result<_, _>>()? })
}

fn step(keys: &Value, functions: Functions<'_>) -> Result<Box<dyn Filter>, String> {
    let mut keys = keys.as_object().cloned().ok_or("a step is a mapping with `function`")?;
    let function = keys.shift_remove("function").ok_or("a step has no `function`")?;
    if let Some(reference) = reference(&function) {
        return Ok(filter_class(functions.find(reference)?, &keys));
    }
    let name = function.as_str().ok_or("`function` is the name of a filter")?;
    // No alias, no dotted path: lm-eval knows its filters by these names alone.
    let Some(found) = FILTERS.registrations.iter().find(|filter| filter.name == name) else {
        if name == "custom" {
            let filter = keys.get("filter_fn").and_then(reference);
            let filter = filter.ok_or("custom: `filter_fn` is a function of Python")?;
            return functions.find(filter).map(filter_function);
        }
        let near = nearest(name, FILTERS.names());
        let hint = near.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default();
        return Err(format!("the filter '{name}' is not known{hint}"));
    };
    (found.value)(keys).map_err(|what| format!("{name}: {what}"))
}

/// What a step says of itself, read by its type.
fn parameters<T: DeserializeOwned>(keys: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(keys)).map_err(|error| error.to_string())
}

/// Each answer of each request becomes another one.
fn each(
    answers: Vec<TaskValue>,
    one: impl Fn(TaskValue) -> Result<TaskValue, String>,
) -> Result<Vec<TaskValue>, String> {
    let all = |answers: TaskValue| {
        answers.items()?.into_iter().map(&one).collect::<Result<_, _>>().map(TaskValue::List)
    };
    answers.into_iter().map(all).collect()
}

/// `list[index]`: from the end where the index is negative.
pub(super) fn place(index: i64, length: usize) -> Option<usize> {
    match usize::try_from(index) {
        Ok(place) => Some(place).filter(|place| *place < length),
        Err(_) => length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}
