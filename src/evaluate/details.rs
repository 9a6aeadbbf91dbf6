//! The `details` of a results file: what was asked, answered and expected, row by row.
//!
//! A metric that notes something about each row gives them itself; for all others they are put
//! together from the prediction records.

use serde_json::{Map, Value, json};

use super::Row;
use crate::python::python_str;

/// Details that a metric gave, one object per row: `example_abbr` (`<subdivision>_<idx>`), then each
/// of its fields as a list with one value per run of the data set; here there is one run. A field
/// `predictions` is not there, as in OpenCompass.
pub fn of_metric(examples: &[String], details: &[Map<String, Value>]) -> Value {
    let rows = examples.iter().zip(details).map(|(example, detail)| {
        let mut row = Map::from_iter([("example_abbr".to_owned(), json!(example))]);
        let kept = detail.iter().filter(|(field, _)| *field != LOST);
        row.extend(kept.map(|(field, value)| (field.clone(), json!([value]))));
        Value::Object(row)
    });
    Value::Array(rows.collect())
}

/// The field of details that OpenCompass writes over with its own and then removes.
pub(super) const LOST: &str = "predictions";

/// Details from prediction records, which are the values of a predictions file. Nothing if the
/// records hold no predictions, as those of `PPLOnlyInferencer`.
pub fn of_records(records: &[Value], rows: &[Row<'_>]) -> Option<Value> {
    let mut details = Map::new();
    details.insert("type".to_owned(), Value::Null);
    for (index, (record, row)) in records.iter().zip(rows).enumerate() {
        let labels = record.as_object()?.keys().any(|key| key.starts_with(LABEL));
        let (kind, detail) = if labels {
            ("PPL", perplexity(record, row)?)
        } else {
            ("GEN", generation(record, row)?)
        };
        details.insert("type".to_owned(), json!(kind));
        details.insert(index.to_string(), Value::Object(detail));
    }
    (details.len() > 1).then_some(Value::Object(details))
}

/// How a predictions file marks the scores of one label.
const LABEL: &str = "label: ";

fn generation(record: &Value, row: &Row<'_>) -> Option<Map<String, Value>> {
    Some(Map::from_iter([
        ("prompt".to_owned(), record.get("origin_prompt")?.clone()),
        ("origin_prediction".to_owned(), record.get("prediction")?.clone()),
        ("predictions".to_owned(), Value::String(python_str(&row.prediction))),
        ("references".to_owned(), Value::String(python_str(&row.reference))),
    ]))
}

fn perplexity(record: &Value, row: &Row<'_>) -> Option<Map<String, Value>> {
    let is_scores = |key: &String| key.starts_with(LABEL);
    let is_kept = |key: &String| key != "in-context examples" && key != "prediction";
    let fields = record.as_object()?;
    // Labels come last, whatever stood between them in the record.
    let plain = fields.iter().filter(|(key, _)| is_kept(key) && !is_scores(key));
    let mut origin: Map<String, Value> =
        plain.map(|(key, value)| (key.clone(), value.clone())).collect();
    for (key, scores) in fields.iter().filter(|(key, _)| is_scores(key)) {
        let mut scores = scores.as_object()?.clone();
        scores.shift_remove("testing input");
        origin.insert(key.replace(LABEL, ""), Value::Object(scores));
    }
    let (prediction, reference) = (python_str(&row.prediction), python_str(&row.reference));
    let correct = prediction == reference;
    Some(Map::from_iter([
        ("origin_prediction".to_owned(), Value::Object(origin)),
        ("predictions".to_owned(), Value::String(prediction)),
        ("references".to_owned(), Value::String(reference)),
        ("correct".to_owned(), json!(correct)),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(prediction: Value, reference: Value) -> Row<'static> {
        Row { prediction, reference, ..Row::default() }
    }

    #[test]
    fn a_generation_shows_raw_and_processed_answer() {
        let record = json!({"origin_prompt": "Q", "prediction": "it is B", "gold": 1});
        let details = of_records(&[record], &[row(json!("B"), json!(1))]).unwrap();
        let expected = json!({
            "type": "GEN",
            "0": {"prompt": "Q", "origin_prediction": "it is B", "predictions": "B", "references": "1"},
        });
        assert_eq!(details.to_string(), expected.to_string());
    }

    #[test]
    fn label_scores_move_behind_the_other_fields() {
        let record = json!({
            "in-context examples": "", "origin_prompt": "p",
            "label: A": {"testing input": "t", "prompt": "p", "PPL": 1.0},
            "prediction": "A", "gold": "B",
        });
        let details = of_records(&[record], &[row(json!("A"), json!("B"))]).unwrap();
        let expected = json!({
            "type": "PPL",
            "0": {
                "origin_prediction": {
                    "origin_prompt": "p", "gold": "B", "A": {"prompt": "p", "PPL": 1.0},
                },
                "predictions": "A", "references": "B", "correct": false,
            },
        });
        assert_eq!(details.to_string(), expected.to_string());
    }

    #[test]
    fn records_without_predictions_have_no_details() {
        let record = json!({"origin_prompt": "p", "ppl": 2.0});
        assert_eq!(of_records(&[record], &[Row::default()]), None);
    }
}
