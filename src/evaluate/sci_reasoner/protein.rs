//! Yes or no about proteins, by the phrases of the post-processor `peer`.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::{
    EvaluateError, Evaluator, Metric, Row, Scores,
    by_row::{Asked, Grade},
};
use crate::{
    config::{Component, ConfigError, Node},
    postprocess::{PostprocessError, peer_yes_no},
    python::blank::strip,
};

/// Right when both sides say yes or both say no.
pub(in super::super) fn scores(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, answer) = (first(&asked.row.prediction), first(&asked.row.reference));
    let (given, meant) = (verdict(asked, prediction)?, verdict(asked, answer)?);
    let is_correct = matches!(given.as_str(), "yes" | "no") && given == meant;
    Ok(Grade::of(is_correct).noted([
        ("pred", prediction.clone()),
        ("answer", answer.clone()),
        ("clean_pred", given.into()),
        ("clean_ref", meant.into()),
        ("correct", is_correct.into()),
    ]))
}

/// The first of a list, or the value itself.
fn first(value: &Value) -> &Value {
    value.get(0).unwrap_or(value)
}

fn verdict(asked: &Asked<'_>, value: &Value) -> Result<String, EvaluateError> {
    said(value).map_err(|error| asked.failed(error))
}

fn said(value: &Value) -> Result<String, PostprocessError> {
    let Some(text) = value.as_str() else { return Ok(String::new()) };
    Ok(strip(peer_yes_no(text)?.as_str().unwrap_or_default()).to_lowercase())
}

/// `PEER_Evaluator` where it asks nobody: the same with counts, and figures of classes over the right ones alone.
pub(in super::super) struct ProteinCounts;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    task: Option<String>,
    use_gpt: Option<bool>,
    #[serde(rename = "gpt_model")]
    _gpt_model: Option<Node>,
    #[serde(rename = "openai_key")]
    _openai_key: Option<Node>,
    #[serde(rename = "max_workers")]
    _max_workers: Option<Node>,
}

impl ProteinCounts {
    /// Reads `task` and `use_gpt`.
    pub(in super::super) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { task, use_gpt, .. } = component.read()?;
        if task.as_deref() != Some("stability") && use_gpt != Some(false) {
            let message = "it asks a judge with a prompt of its own, which is not shipped";
            return Err(ConfigError::at(&component.origin, message).with_hint(
                "use CascadeEvaluator with PEERRuleEvaluator and GenericLLMEvaluator, or write use_gpt=False",
            ));
        }
        Ok(Box::new(Self))
    }

    /// Whether each row says what its gold says, and whether that is yes.
    fn graded(rows: &[Row<'_>]) -> Result<Vec<(bool, bool)>, EvaluateError> {
        let grade = |(row, one): (usize, &Row<'_>)| {
            let failed = |source| EvaluateError::Normalization { row, source: Box::new(source) };
            let given = said(first(&one.prediction)).map_err(failed)?;
            let meant = said(first(&one.reference)).map_err(failed)?;
            let is_right = matches!(given.as_str(), "yes" | "no") && given == meant;
            Ok((is_right, is_right && given == "yes"))
        };
        rows.iter().enumerate().map(grade).collect()
    }
}

impl Evaluator for ProteinCounts {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let are_right: Vec<bool> =
            Self::graded(rows)?.into_iter().map(|(right, _)| right).collect();
        Ok(Scores::new(vec![Metric::of_shares("accuracy", &are_right)], rows.len()))
    }

    fn notes(&self, rows: &[Row<'_>]) -> Result<Map<String, Value>, EvaluateError> {
        let graded = Self::graded(rows)?;
        let right = graded.iter().filter(|(is_right, _)| *is_right).count();
        // Wrong ones are not among the classes, so that these are all or nothing.
        let classes = if graded.iter().any(|(_, is_yes)| *is_yes) { 100.0 } else { 0.0 };
        let notes = [
            ("num_all", json!(rows.len())),
            ("num_correct", json!(right)),
            ("num_no_answer", json!(0)),
            ("num_invalid", json!(0)),
            ("num_gpt_called", json!(0)),
            ("acc_wo_no_answer_invalid", json!(right as f64 / rows.len() as f64 * 100.0)),
            ("precision", json!(classes)),
            ("recall", json!(classes)),
            ("f1_score", json!(classes)),
        ];
        Ok(notes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}
