//! `mode='m2n'`: the answer of each model stands beside that of another one, whose predictions are given.
//!
//! The predictions of the other model are a column of the rows, so that what a judge is asked is known from the rows
//! alone.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    dataset::Sample,
    evaluate::{EvaluateError, Row},
    python::PythonRandom,
};

/// The column with the answers of the models that others are compared with: records of `model` and `prediction`.
pub const BASE_PREDICTIONS: &str = "base_predictions";

/// Which answers are compared, and in which order a judge sees them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Comparison {
    /// The models that each model is compared with, by `abbr`.
    base_models: Vec<String>,
    infer_order: Option<Order>,
    /// Whether the right answers of a file of replies hold the answers that were compared.
    #[serde(skip)]
    pub(super) keeps_predictions: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Order {
    /// Drawn for each row.
    Random,
    /// One way, and once more the other way.
    Double,
}

/// One question about two answers.
pub(super) struct Pair<'r> {
    /// Index of the row.
    pub(super) row: usize,
    /// The answers with the names of their models, as the judge sees them.
    pub(super) answers: [(&'r Value, &'r str); 2],
    /// What the row's right answer says of them.
    pub(super) reference: Map<String, Value>,
}

/// OpenCompass's seed of the order.
const SEED: u64 = 666;

impl Comparison {
    /// The models that these answers are compared with.
    pub(super) fn bases<'c>(&'c self, rows: &[Row<'_>]) -> Vec<&'c str> {
        let own = rows.first().and_then(|row| row.model);
        let bases = self.base_models.iter().map(String::as_str);
        bases.filter(|base| Some(*base) != own).collect()
    }

    /// The questions about all rows beside one other model.
    pub(super) fn pairs<'r>(
        &'r self,
        rows: &'r [Row<'_>],
        base: &'r str,
    ) -> Result<Vec<Pair<'r>>, EvaluateError> {
        let mut random = PythonRandom::from_seed(SEED);
        let mut pairs = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let given = row.sample.and_then(|sample| given(sample, base));
            let given = given.ok_or(EvaluateError::NoColumn {
                row: index,
                evaluator: "lm_judge",
                column: BASE_PREDICTIONS,
            })?;
            let mut answers = [(given, base), (&row.prediction, row.model.unwrap_or_default())];
            if self.infer_order == Some(Order::Random) {
                random.shuffle(&mut answers);
            }
            let reference = match &row.reference {
                Value::Null => Map::new(),
                Value::Object(own) => own.clone(),
                other => {
                    return Err(EvaluateError::WrongKind {
                        row: index,
                        evaluator: "lm_judge",
                        what: "the output column",
                        expected: "a record, such as the column judge",
                        found: other.to_string(),
                    });
                }
            };
            let reference = self.told(reference, &answers);
            pairs.push(Pair { row: index, answers, reference });
        }
        if self.infer_order == Some(Order::Double) {
            let turned = |pair: &Pair<'r>| {
                let [first, second] = pair.answers;
                let answers = [second, first];
                let reference = self.told(pair.reference.clone(), &answers);
                Pair { row: pair.row, answers, reference }
            };
            let turned: Vec<Pair<'r>> = pairs.iter().map(turned).collect();
            pairs.extend(turned);
        }
        Ok(pairs)
    }

    /// What is told of two answers in a right answer.
    fn told(
        &self,
        mut reference: Map<String, Value>,
        answers: &[(&Value, &str); 2],
    ) -> Map<String, Value> {
        for (number, (prediction, model)) in (1..).zip(answers) {
            reference.insert(format!("answer{number}"), json!(model));
            if self.keeps_predictions {
                reference.insert(format!("prediction{number}"), (*prediction).clone());
            }
        }
        reference.insert("base_models".to_owned(), json!(self.base_models));
        reference
    }
}

/// The answer of another model to a row.
fn given<'s>(sample: &'s Sample, base: &str) -> Option<&'s Value> {
    let all = sample.get(BASE_PREDICTIONS)?.as_array()?;
    all.iter().find(|one| one["model"] == base)?.get("prediction")
}
