//! An evaluator with a post-processor of its own: `dict(type=AccEvaluator, pred_postprocessor=dict(…))`.
//!
//! As in OpenCompass it is applied last, after the model's and the data set's, and by the evaluator
//! itself: the `details` of a results file that come from the records do not show it.

use serde_json::{Map, Value};

use super::{
    EvaluateError, Evaluator, Results, Row, Scores,
    code::Programs,
    judge::{Asked, Judging},
};
use crate::{
    dataset::Sample,
    postprocess::{self, Postprocessor},
};

/// Applies a rule to every prediction before they are compared.
pub(super) struct Postprocessed {
    pub(super) evaluator: Box<dyn Evaluator>,
    pub(super) rule: Box<dyn Postprocessor>,
}

impl Postprocessed {
    /// The rows with the rule applied to their predictions.
    fn processed<'r>(&self, rows: &[Row<'r>]) -> Result<Vec<Row<'r>>, EvaluateError> {
        let mut processed: Vec<Row<'r>> = rows.to_vec();
        for (index, row) in
            processed.iter_mut().enumerate().filter(|(_, row)| !row.prediction.is_null())
        {
            let none = Sample::default();
            let sample = row.sample.unwrap_or(&none);
            row.prediction =
                postprocess::apply(&*self.rule, &row.prediction, sample).map_err(|source| {
                    EvaluateError::Normalization { row: index, source: Box::new(source) }
                })?;
        }
        Ok(processed)
    }
}

impl Evaluator for Postprocessed {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        self.evaluator.evaluate(&self.processed(rows)?)
    }

    fn notes(&self, rows: &[Row<'_>]) -> Result<Map<String, Value>, EvaluateError> {
        self.evaluator.notes(&self.processed(rows)?)
    }

    fn departures(&self, rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
        self.processed(rows).map_or_else(|_| Vec::new(), |rows| self.evaluator.departures(&rows))
    }

    fn reads_lists(&self) -> bool {
        self.evaluator.reads_lists()
    }

    fn reads_null_golds(&self) -> bool {
        self.evaluator.reads_null_golds()
    }

    fn places(&self) -> Option<usize> {
        self.evaluator.places()
    }

    fn is_undecided(&self, row: &Row<'_>) -> bool {
        let none = Sample::default();
        let sample = row.sample.unwrap_or(&none);
        let processed = postprocess::apply(&*self.rule, &row.prediction, sample);
        processed
            .is_ok_and(|prediction| self.evaluator.is_undecided(&Row { prediction, ..row.clone() }))
    }

    fn results(&self, rows: &[Row<'_>]) -> Result<Results, EvaluateError> {
        self.evaluator.results(&self.processed(rows)?)
    }

    fn judging(&self) -> Option<&Judging> {
        self.evaluator.judging()
    }

    fn asks(&self, rows: &[Row<'_>]) -> Result<Vec<Asked>, EvaluateError> {
        self.evaluator.asks(&self.processed(rows)?)
    }

    fn runs_code(&self) -> bool {
        self.evaluator.runs_code()
    }

    fn needed_modules(&self) -> &'static [&'static str] {
        self.evaluator.needed_modules()
    }

    fn lacks_wordnet(&self) -> bool {
        self.evaluator.lacks_wordnet()
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        self.evaluator.programs(&self.processed(rows)?)
    }

    fn encoder(&self) -> Option<&str> {
        self.evaluator.encoder()
    }

    fn texts(&self, rows: &[Row<'_>]) -> Result<Vec<Vec<String>>, EvaluateError> {
        self.evaluator.texts(&self.processed(rows)?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        config::{Component, Node},
        evaluate::build,
    };

    #[test]
    fn an_evaluator_applies_its_own_rule() {
        let built = |config: &Value| build(&Component::parse(&Node::from_json(config)).unwrap());
        let rows =
            Row::zip(vec!["so B".into(), Value::Null], vec!["B".into(), "B".into()]).unwrap();
        for (rule, expected) in [(json!({"type": "first-capital"}), 50.0), (json!(null), 0.0)] {
            let config = json!({"type": "AccEvaluator", "pred_postprocessor": rule});
            let scores = built(&config).unwrap().evaluate(&rows).unwrap();
            assert_eq!(scores.metrics[0].value.to_bits(), f64::to_bits(expected));
        }
        let config =
            json!({"type": "AccEvaluator", "pred_postprocessor": {"type": "first-capitol"}});
        let error = built(&config).err().unwrap().to_string();
        assert!(error.contains("pred_postprocessor") && error.contains("first-capital"), "{error}");
    }
}
