//! `acc_with_details`: the share of answers that equal the right one, with every comparison written
//! down.

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use super::{EvaluateError, Evaluator, Row, Scores};

/// Compares by Python's `==`, without turning values into text: the reference 1 is matched by 1 and
/// 1.0, not by "1".
pub(super) struct AccWithDetails;

impl Evaluator for AccWithDetails {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let correct: Vec<bool> =
            rows.iter().map(|row| are_equal(&row.prediction, &row.reference)).collect();
        let details = rows.iter().zip(&correct).map(|(row, is_correct)| {
            Map::from_iter([
                ("prompt".to_owned(), row.prompt.clone()),
                ("pred".to_owned(), row.prediction.clone()),
                ("refr".to_owned(), row.reference.clone()),
                ("is_correct".to_owned(), json!(is_correct)),
            ])
        });
        Ok(Scores::share("accuracy", &correct).with_details(details.collect()))
    }

    fn accepts(&self, prediction: &Value, reference: &Value) -> Option<bool> {
        Some(are_equal(prediction, reference))
    }
}

/// Python's `==`: numbers and truth values compare by value whatever their type.
pub(super) fn are_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| are_equal(a, b))
        }
        (Value::Object(left), Value::Object(right)) => {
            let same = |(key, value)| right.get(key).is_some_and(|other| are_equal(value, other));
            left.len() == right.len() && left.iter().all(same)
        }
        _ => {
            left == right
                || number(left)
                    .zip(number(right))
                    .is_some_and(|(a, b)| a.partial_cmp(&b) == Some(Ordering::Equal))
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        other => other.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_matter_unless_they_are_numbers() {
        for (left, right) in
            [(json!(1), json!(1.0)), (json!(true), json!(1)), (json!([1]), json!([1.0]))]
        {
            assert!(are_equal(&left, &right), "{left} {right}");
        }
        for (left, right) in
            [(json!(1), json!("1")), (json!("a"), json!("A")), (json!(null), json!(0))]
        {
            assert!(!are_equal(&left, &right), "{left} {right}");
        }
    }
}
