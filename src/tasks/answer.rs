//! The right answer to a document, as it is shown beside what the model says.

use serde_json::Value;

use super::{
    OutputType, TaskError, TaskPlan,
    field::{Asked, Row},
};

impl TaskPlan {
    /// What `doc_to_target` says of every document: text, a list of texts, or the number of the right option; nothing
    /// where the task has none.
    ///
    /// # Errors
    ///
    /// Where a row lacks a column, or a template cannot be written.
    pub fn answers(&self, documents: &[Row]) -> Result<Vec<Value>, TaskError> {
        let columns: Vec<String> =
            documents.first().map(|row| row.keys().cloned().collect()).unwrap_or_default();
        let asked = |key: &'static str, field| Asked {
            task: &self.name,
            key,
            field,
            columns: &columns,
            has_choices: self.doc_to_choice.is_some(),
        };
        let answer = |row: &Row| {
            let Some(target) = &self.doc_to_target else { return Ok(Value::Null) };
            let mut row = row.clone();
            let target = asked("doc_to_target", target).target(&mut row)?;
            match &self.doc_to_choice {
                Some(choices) if self.output_type == OutputType::MultipleChoice => {
                    let choices = asked("doc_to_choice", choices).choices(&mut row)?;
                    Ok(numbered(target, &choices))
                }
                _ => Ok(target),
            }
        };
        documents.iter().map(answer).collect()
    }
}

/// An option's number for its text.
fn numbered(target: Value, choices: &[String]) -> Value {
    match &target {
        Value::String(text) => match choices.iter().position(|choice| choice == text) {
            Some(place) => place.into(),
            None => target,
        },
        Value::Array(items) => {
            items.iter().map(|item| numbered(item.clone(), choices)).collect::<Vec<_>>().into()
        }
        Value::Number(number) if number.as_i64().is_some_and(|number| number < 0) => {
            let from_end = number.as_i64().and_then(|own| usize::try_from(own.unsigned_abs()).ok());
            match from_end.and_then(|own| choices.len().checked_sub(own)) {
                Some(place) => place.into(),
                None => target,
            }
        }
        Value::Bool(flag) => usize::from(*flag).into(),
        _ => target,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_are_told_by_their_numbers() {
        let choices = ["no".to_owned(), "yes".to_owned()];
        for (target, expected) in [
            (json!("yes"), json!(1)),
            (json!("maybe"), json!("maybe")),
            (json!(-2), json!(0)),
            (json!(["yes", "no"]), json!([1, 0])),
            (json!(true), json!(1)),
        ] {
            assert_eq!(numbered(target, &choices), expected);
        }
    }
}
