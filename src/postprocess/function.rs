//! Rules that are a function: of the text alone, or of the text and a few parameters.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{PostprocessError, Postprocessor, Processed};
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
};

/// What a rule gives for a value that is no text; nothing where it refuses it.
type OfOther<P> = fn(&P, &Value) -> Option<Value>;

/// A function of a text and of parameters that serde reads from the rule's dict.
pub(super) struct Function<P, T> {
    parameters: P,
    process: T,
    of_other: OfOther<P>,
    picks_options: bool,
}

/// What a rule without parameters accepts in its dict besides `type`: nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParameters {}

/// A function of the text alone.
type Plain = fn(&str) -> Processed;

/// A function of the text and of parameters.
type Parametric<P> = fn(&P, &str) -> Processed;

/// A rule that refuses all but texts.
fn refuse<P>(_parameters: &P, _value: &Value) -> Option<Value> {
    None
}

/// A rule without parameters.
pub(super) fn plain(
    component: &Component,
    process: Plain,
) -> Result<Box<dyn Postprocessor>, ConfigError> {
    let parameters = component.read::<NoParameters>()?;
    Ok(Box::new(Function { parameters, process, of_other: refuse, picks_options: false }))
}

/// The same for a rule that picks options.
pub(super) fn options(
    component: &Component,
    process: Plain,
) -> Result<Box<dyn Postprocessor>, ConfigError> {
    let parameters = component.read::<NoParameters>()?;
    Ok(Box::new(Function { parameters, process, of_other: refuse, picks_options: true }))
}

/// The same for a rule that gives the empty text for all that is no text.
pub(super) fn or_empty(
    component: &Component,
    process: Plain,
) -> Result<Box<dyn Postprocessor>, ConfigError> {
    any(component, process, |_, _| Some(Value::from("")))
}

/// The same for a rule that gives the empty text where there is none: for null, zero, `False` and the
/// empty dict.
pub(super) fn or_empty_if_false(
    component: &Component,
    process: Plain,
) -> Result<Box<dyn Postprocessor>, ConfigError> {
    any(component, process, |_, value| {
        let is_false = match value {
            Value::Null => true,
            Value::Bool(flag) => !flag,
            Value::Number(number) => number.as_f64().is_some_and(|number| number.abs() <= 0.0),
            Value::Object(fields) => fields.is_empty(),
            Value::String(_) | Value::Array(_) => false,
        };
        is_false.then(|| Value::from(""))
    })
}

/// The same for a rule that takes other values too.
pub(super) fn any(
    component: &Component,
    process: Plain,
    of_other: OfOther<NoParameters>,
) -> Result<Box<dyn Postprocessor>, ConfigError> {
    let parameters = component.read::<NoParameters>()?;
    Ok(Box::new(Function { parameters, process, of_other, picks_options: false }))
}

/// A rule with parameters.
pub(super) fn with<P: DeserializeOwned + Send + Sync + 'static>(
    component: &Component,
    process: Parametric<P>,
) -> Result<Box<dyn Postprocessor>, ConfigError> {
    with_any(component, process, refuse)
}

/// A rule with parameters that takes other values than texts too.
pub(super) fn with_any<P: DeserializeOwned + Send + Sync + 'static>(
    component: &Component,
    process: Parametric<P>,
    of_other: OfOther<P>,
) -> Result<Box<dyn Postprocessor>, ConfigError> {
    let parameters = component.read::<P>()?;
    Ok(Box::new(Function { parameters, process, of_other, picks_options: false }))
}

impl Postprocessor for Function<NoParameters, Plain> {
    fn process(&self, text: &str, _sample: &Sample) -> Processed {
        (self.process)(text)
    }

    fn process_other(&self, value: &Value, _sample: &Sample) -> Processed {
        (self.of_other)(&self.parameters, value)
            .ok_or_else(|| PostprocessError::NotText(value.clone()))
    }

    fn gives(&self, answer: &str) -> Option<bool> {
        // Each of the functions that pick options finds what it gives in that alone.
        let made = self.picks_options.then(|| (self.process)(answer).ok())?;
        Some(made? == answer)
    }
}

impl<P: Send + Sync> Postprocessor for Function<P, Parametric<P>> {
    fn process(&self, text: &str, _sample: &Sample) -> Processed {
        (self.process)(&self.parameters, text)
    }

    fn process_other(&self, value: &Value, _sample: &Sample) -> Processed {
        (self.of_other)(&self.parameters, value)
            .ok_or_else(|| PostprocessError::NotText(value.clone()))
    }
}
