//! Functions of Python that score: filters, metrics, aggregations and `process_results` of task files.
//!
//! They are run by the bounded evaluator that runs no Python; without its files, or where it does not know what a function
//! needs, the function is refused by its name.

use indexmap::IndexMap;
use serde_json::{Map, Value as Json};

use super::{
    field::{Row, put_back},
    filter::Filter,
    value::TaskValue,
    yaml::FUNCTION,
};
use crate::config::functions::{Function, FunctionFiles, Value};

/// Where functions are found.
#[derive(Clone, Copy)]
pub(super) struct Functions<'a>(pub(super) Option<&'a FunctionFiles>);

/// A function that scores, or a class of filters.
#[derive(Clone, Debug)]
pub(super) struct ScoringFunction(Function);

/// The reference of a function, where a value is one.
pub(super) fn reference(value: &Json) -> Option<&str> {
    value.get(FUNCTION).and_then(Json::as_str)
}

impl Functions<'_> {
    /// The function of this reference, if all is known that it needs.
    pub(super) fn find(self, reference: &str) -> Result<ScoringFunction, String> {
        let Some(files) = self.0 else {
            return Err(format!("the function {reference} is Python, which is not run"));
        };
        let function = files.function(reference);
        function.check().map_err(|error| error.to_string())?;
        Ok(ScoringFunction(function))
    }
}

impl ScoringFunction {
    /// Its name, without its file.
    pub(super) fn name(&self) -> &str {
        self.0.name()
    }

    /// What the function makes of values.
    pub(super) fn call(&self, arguments: &[TaskValue]) -> Result<TaskValue, String> {
        let arguments: Vec<Value> = arguments.iter().map(given).collect::<Result<_, _>>()?;
        made(&self.0.call(&arguments).map_err(|error| error.to_string())?)
    }

    /// What the function makes of a document and of the answers to it; what it writes into the document stays there.
    pub(super) fn process(
        &self,
        document: &mut Row,
        answers: &[TaskValue],
    ) -> Result<TaskValue, String> {
        let answers = answers.iter().map(given).collect::<Result<_, _>>()?;
        let arguments = [given(&TaskValue::from(&*document))?, Value::List(answers)];
        let (value, changed) =
            self.0.call_changing(&arguments).map_err(|error| error.to_string())?;
        if let (Some(changed), [before, _]) = (changed.first(), &arguments)
            && changed != before
        {
            put_back(document, changed)?;
        }
        made(&value)
    }

    /// What a metric makes of a target and an answer: with names and settings, else of the pair, as the original tries it.
    pub(super) fn measure(
        &self,
        settings: &Map<String, Json>,
        target: &TaskValue,
        answer: &TaskValue,
    ) -> Result<TaskValue, String> {
        let list = |value: &TaskValue| Ok(Value::List(vec![given(value)?]));
        let mut keywords: Vec<(String, Value)> = vec![
            ("references".to_owned(), list(target).map_err(|what: String| what)?),
            ("predictions".to_owned(), list(answer).map_err(|what: String| what)?),
        ];
        keywords.extend(settings.iter().map(|(key, value)| (key.clone(), Value::from(value))));
        match self.0.call_with(&[], &keywords) {
            Ok(value) => made(&value),
            Err(error) if error.to_string().contains("TypeError") => {
                self.call(&[TaskValue::List(vec![target.clone(), answer.clone()])])
            }
            Err(error) => Err(error.to_string()),
        }
    }
}

/// A filter that is a class of Python, or a function of all answers and documents.
struct PythonFilter {
    function: ScoringFunction,
    /// What the class is made with; nothing for a function.
    settings: Option<Vec<(String, Value)>>,
}

/// A class of filters with what a task file says of it.
pub(super) fn filter_class(
    function: ScoringFunction,
    settings: &Map<String, Json>,
) -> Box<dyn Filter> {
    let settings = settings.iter().map(|(key, value)| (key.clone(), Value::from(value)));
    Box::new(PythonFilter { function, settings: Some(settings.collect()) })
}

/// `custom`: a function of all answers and documents.
pub(super) fn filter_function(function: ScoringFunction) -> Box<dyn Filter> {
    Box::new(PythonFilter { function, settings: None })
}

impl Filter for PythonFilter {
    fn apply(&self, answers: Vec<TaskValue>, documents: &[&Row]) -> Result<Vec<TaskValue>, String> {
        let count = answers.len();
        let answers = answers.iter().map(given).collect::<Result<_, _>>()?;
        let documents = documents.iter().map(|row| Value::from(*row)).collect();
        let arguments = [Value::List(answers), Value::List(documents)];
        let function = &self.function.0;
        let filtered = match &self.settings {
            Some(settings) => function.call_method(settings, "apply", &arguments),
            None => function.call(&arguments),
        };
        let filtered = made(&filtered.map_err(|error| error.to_string())?)?.items()?;
        if filtered.len() != count {
            let name = self.function.name();
            return Err(format!("{name} makes {} answers of {count}", filtered.len()));
        }
        Ok(filtered)
    }
}

/// A value that goes into a function.
fn given(value: &TaskValue) -> Result<Value, String> {
    let all = |items: &[TaskValue]| items.iter().map(given).collect::<Result<Vec<_>, _>>();
    Ok(match value {
        TaskValue::None => Value::None,
        TaskValue::Truth(truth) => Value::Bool(*truth),
        TaskValue::Whole(whole) => {
            let long = |_| format!("the number {whole} is too long for a function");
            Value::Int(i64::try_from(*whole).map_err(long)?)
        }
        TaskValue::Float(float) => Value::Float(*float),
        TaskValue::Text(text) => Value::Text(text.clone()),
        TaskValue::List(items) => Value::List(all(items)?),
        TaskValue::Tuple(items) => Value::Tuple(all(items)?),
        TaskValue::Mapping(entries) => {
            let entry = |(key, value): (&String, &TaskValue)| {
                Ok::<_, String>((Value::Text(key.clone()), given(value)?))
            };
            Value::Dict(entries.iter().map(entry).collect::<Result<_, _>>()?)
        }
    })
}

/// A value that comes out of one.
fn made(value: &Value) -> Result<TaskValue, String> {
    let all = |items: &[Value]| items.iter().map(made).collect::<Result<Vec<_>, _>>();
    Ok(match value {
        Value::None => TaskValue::None,
        Value::Bool(truth) => TaskValue::Truth(*truth),
        Value::Int(whole) => TaskValue::Whole((*whole).into()),
        Value::Float(float) => TaskValue::Float(*float),
        Value::Text(text) => TaskValue::Text(text.clone()),
        Value::List(items) | Value::Set(items) => TaskValue::List(all(items)?),
        Value::Tuple(items) => TaskValue::Tuple(all(items)?),
        Value::Dict(entries) => {
            let entry = |(key, value): &(Value, Value)| match key {
                Value::Text(key) => Ok((key.clone(), made(value)?)),
                _ => Err("a function gives a dict with a key that is no text".to_owned()),
            };
            let entries: IndexMap<String, TaskValue> =
                entries.iter().map(entry).collect::<Result<_, _>>()?;
            TaskValue::Mapping(entries)
        }
        Value::Rows(_) => return Err("a function gives rows of a data set".to_owned()),
    })
}
