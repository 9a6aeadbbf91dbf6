//! `exact_match`: whether texts are the same once patterns, case, punctuation and digits are left out.
//!
//! The original compares arrays of `NumPy`, and that shows: an array's texts end before trailing zero characters, small
//! letters that need more places than the capitals are cut, and a text is never a number.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{python::regex::PythonRegex, tasks::value::TaskValue};

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct Parameters {
    regexes_to_ignore: Option<Vec<String>>,
    // What is no truth value is taken as Python takes it.
    ignore_case: Value,
    ignore_punctuation: Value,
    ignore_numbers: Value,
}

/// How texts are compared.
#[derive(Default)]
pub(super) struct ExactMatch {
    /// Nothing where none are named, which is not the same as an empty list.
    patterns: Option<Vec<PythonRegex>>,
    ignores_case: bool,
    ignores_punctuation: bool,
    ignores_digits: bool,
}

impl ExactMatch {
    pub(super) fn of(keys: Map<String, Value>) -> Result<Self, String> {
        let keys: Parameters =
            serde_json::from_value(Value::Object(keys)).map_err(|error| error.to_string())?;
        let compiled =
            |pattern: &String| PythonRegex::new(pattern).map_err(|error| error.to_string());
        let compiled =
            |patterns: &Vec<String>| patterns.iter().map(compiled).collect::<Result<_, _>>();
        Ok(Self {
            patterns: keys.regexes_to_ignore.as_ref().map(compiled).transpose()?,
            ignores_case: TaskValue::from(&keys.ignore_case).is_true(),
            ignores_punctuation: TaskValue::from(&keys.ignore_punctuation).is_true(),
            ignores_digits: TaskValue::from(&keys.ignore_numbers).is_true(),
        })
    }

    /// Whether letters are left out of texts.
    fn leaves_out(&self) -> bool {
        self.ignores_case || self.ignores_punctuation || self.ignores_digits
    }

    /// The share of pairs that are the same.
    pub(super) fn share(
        &self,
        references: &[TaskValue],
        predictions: &[TaskValue],
    ) -> Result<f64, String> {
        let is_empty = self.patterns.as_ref().is_some_and(Vec::is_empty);
        // An empty list of patterns, and nothing else: lists are compared, and not their items.
        if is_empty && !self.leaves_out() {
            return Ok(f64::from(u8::from(references == predictions)));
        }
        let (references, predictions) = (self.array(references)?, self.array(predictions)?);
        let pairs = references.iter().zip(&predictions);
        let same = pairs.filter(|(reference, prediction)| is_same(reference, prediction)).count();
        Ok(same as f64 / references.len() as f64)
    }

    /// An array of what is compared.
    fn array(&self, values: &[TaskValue]) -> Result<Vec<TaskValue>, String> {
        let has_text = values.iter().any(|value| value.text().is_some());
        let patterns = self.patterns.as_deref().unwrap_or_default();
        let has_others = values.iter().any(|value| value.text().is_none());
        // What is neither text nor number stays as it is, and so does all that stands beside it.
        let is_odd = |value: &TaskValue| value.text().is_none() && value.number().is_none();
        let stays = !has_text || values.iter().any(is_odd);
        let needs_texts = !patterns.is_empty() || (self.leaves_out() && stays);
        if needs_texts && has_others {
            let odd = values.iter().find(|value| value.text().is_none());
            let odd = odd.map(TaskValue::python_repr).unwrap_or_default();
            return Err(format!("exact_match leaves letters out of texts, and {odd} is none"));
        }
        if stays {
            return Ok(values.to_vec());
        }
        // One text among numbers makes all of them texts.
        let mut texts: Vec<String> = values.iter().map(TaskValue::python_str).collect();
        for pattern in patterns {
            for text in &mut texts {
                *text = pattern.replace(text, "").map_err(|error| error.to_string())?;
            }
        }
        for text in &mut texts {
            text.truncate(text.trim_end_matches('\0').len());
        }
        if self.ignores_case {
            let most = texts.iter().map(|text| text.chars().count()).max().unwrap_or_default();
            for text in &mut texts {
                *text = text.to_lowercase().chars().take(most).collect();
            }
        }
        for text in &mut texts {
            text.retain(|letter| {
                !(self.ignores_punctuation && letter.is_ascii_punctuation()
                    || self.ignores_digits && letter.is_ascii_digit())
            });
        }
        Ok(texts.into_iter().map(TaskValue::Text).collect())
    }
}

/// Python's `==`: numbers are the same whatever their types.
#[expect(clippy::float_cmp, reason = "that is what is asked")]
fn is_same(one: &TaskValue, other: &TaskValue) -> bool {
    match (one.number(), other.number()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn share(keys: &Value, reference: &Value, prediction: &Value) -> Result<f64, String> {
        let metric = ExactMatch::of(keys.as_object().cloned().unwrap())?;
        let list = |value: &Value| TaskValue::from(value).items();
        metric.share(&list(reference)?, &list(prediction)?)
    }

    #[test]
    fn what_is_left_out_does_not_count() {
        // Each row was run in lm-eval 0.4.13.
        let rows = [
            (json!({}), json!(["a"]), json!(["a"]), 1.0),
            (json!({}), json!(["a"]), json!(["A."]), 0.0),
            (
                json!({"ignore_case": true, "ignore_punctuation": true}),
                json!(["a"]),
                json!(["A."]),
                1.0,
            ),
            (json!({"ignore_punctuation": true}), json!(["a。"]), json!(["a"]), 0.0),
            (json!({"ignore_numbers": true}), json!(["a1"]), json!(["a2"]), 1.0),
            (
                json!({"regexes_to_ignore": [",", r"\$", "(?s).*#### ", r"\.$"]}),
                json!(["x\n#### 1,204"]),
                json!(["$1204."]),
                1.0,
            ),
            (json!({}), json!([1]), json!(["1"]), 0.0),
            (json!({}), json!([1]), json!([1.0]), 1.0),
            (json!({}), json!(["a", "b"]), json!(["b", "b"]), 0.5),
            (json!({"regexes_to_ignore": []}), json!(["a", "b"]), json!(["b", "b"]), 0.0),
            (json!({"ignore_case": true}), json!(["i̇stanbu"]), json!(["İstanbul"]), 1.0),
        ];
        for (keys, reference, prediction, expected) in rows {
            assert_eq!(share(&keys, &reference, &prediction), Ok(expected), "{keys} {prediction}");
        }
        assert!(share(&json!({"ignore_case": true}), &json!([1]), &json!(["1"])).is_err());
        assert!(ExactMatch::of(Map::from_iter([("ignore".to_owned(), Value::Null)])).is_err());
    }
}
