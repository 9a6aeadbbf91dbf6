//! `cot_output`: the rewritten question at the end of a chain of thought.
//!
//! A rewriting model first says whether the question has to change, then thinks, then writes the new
//! question behind a marker. The answer of such a step is a question: the new one, or, when nothing
//! had to change, the one that was asked.

use serde::Deserialize;
use serde_json::Value;

use super::{PostprocessError, Postprocessor, blank::strip};
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
    python::python_str,
};

/// Takes the text behind the marker after a `Yes`, the sample's own question after a `No`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CotOutput {
    #[serde(default = "default_marker")]
    marker: String,
    #[serde(default = "default_question_column")]
    question_column: String,
}

fn default_marker() -> String {
    "OUTPUT QUESTION:".to_owned()
}

fn default_question_column() -> String {
    "question".to_owned()
}

impl CotOutput {
    /// Reads `marker` (default `'OUTPUT QUESTION:'`) and `question_column` (default `'question'`).
    pub(super) fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
        Ok(Box::new(component.read::<Self>()?))
    }

    fn question(&self, sample: &Sample) -> Result<Value, PostprocessError> {
        let question = sample.get(&self.question_column);
        let question = question.ok_or_else(|| PostprocessError::NoColumn {
            processor: "cot_output",
            column: self.question_column.clone(),
            available: sample.iter().map(|(name, _)| name).collect::<Vec<_>>().join(", "),
        })?;
        Ok(Value::String(python_str(question)))
    }
}

impl Postprocessor for CotOutput {
    /// An answer that keeps to neither form, or a `Yes` without a marker, gives the empty text, so
    /// that it counts as wrong and not as a question left alone.
    fn process(&self, text: &str, sample: &Sample) -> Result<Value, PostprocessError> {
        let thought = strip(text);
        let begins_with = |verdict: &str| {
            let word = thought.split(|letter: char| !letter.is_alphanumeric()).next();
            word.is_some_and(|word| word.eq_ignore_ascii_case(verdict))
        };
        if begins_with("no") {
            return self.question(sample);
        }
        let rewritten = thought.rsplit_once(&self.marker).filter(|_| begins_with("yes"));
        Ok(Value::from(rewritten.map_or("", |(_, question)| strip(question))))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn processed(text: &str) -> Value {
        let processor =
            CotOutput { marker: default_marker(), question_column: default_question_column() };
        let sample = Sample::new(vec![("question".into(), json!("Who was she?"))]);
        processor.process(text, &sample).unwrap()
    }

    #[test]
    fn yes_gives_the_new_question_and_no_the_old_one() {
        let yes = "Yes. 'she' is Marie Curie.\nOUTPUT QUESTION: Who was Marie Curie?\n";
        assert_eq!(processed(yes), "Who was Marie Curie?");
        assert_eq!(processed(" No, it stands alone. OUTPUT QUESTION: x"), "Who was she?");
    }

    #[test]
    fn neither_form_gives_nothing() {
        assert_eq!(processed("Yes, it has to change."), "");
        assert_eq!(processed("Notably OUTPUT QUESTION: x"), "");
        assert_eq!(processed(""), "");
    }

    #[test]
    fn a_missing_column_is_named() {
        let processor =
            CotOutput { marker: default_marker(), question_column: default_question_column() };
        let sample = Sample::new(vec![("q".into(), json!("x"))]);
        let error = processor.process("No", &sample).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"cot_output needs the column "question"; the sample has q"#
        );
    }
}
