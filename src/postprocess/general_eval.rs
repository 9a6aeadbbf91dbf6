//! `general_eval`: an answer that is a Python literal is evaluated before another rule reads it.

use serde_json::Value;

use super::{PostprocessError, Postprocessor, Processed, python_literal};
use crate::{
    config::{Component, ConfigError, Node},
    dataset::Sample,
};

/// Evaluates a literal, and hands the value to another rule if there is one.
pub(super) struct GeneralEval {
    rule: Option<Box<dyn Postprocessor>>,
}

impl GeneralEval {
    /// Reads `postprocess`, the name of another rule, and that rule's parameters.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
        let mut params: Node = component.params.clone();
        let named = params.remove("postprocess").filter(|node| !node.to_json().is_null());
        let Some(named) = named else {
            component.read::<super::function::NoParameters>()?;
            return Ok(Box::new(Self { rule: None }));
        };
        let inner = Component { params, ..Component::parse(&named)? };
        Ok(Box::new(Self { rule: Some(super::build(&inner)?) }))
    }
}

impl Postprocessor for GeneralEval {
    fn process(&self, text: &str, sample: &Sample) -> Processed {
        let value = python_literal::evaluate(text).unwrap_or_else(|| text.into());
        match (&self.rule, value) {
            (None, value) => Ok(value),
            (Some(rule), Value::String(text)) => rule.process(&text, sample),
            (Some(_), list @ Value::Array(_)) => Err(PostprocessError::NotText(list)),
            (Some(rule), other) => rule.process_other(&other, sample),
        }
    }
}
