//! `GenericLLMEvaluator`: a judge reads each prediction, mostly beside the right answer, and says what it is worth.
//!
//! The template is filled with the columns of the row, `prediction`, and `obj_gold`, the right answer. OpenCompass
//! applies the evaluator's own `pred_postprocessor` twice, so that one which takes an answer out of tags finds none in
//! what it took out itself; here it is applied once.

use serde::Deserialize;
use serde_json::Value;

use super::{Asked, JudgeRule, Judging, REFERENCE, reply, rules, with_columns};
use crate::{
    config::{Component, ConfigError, Node},
    evaluate::{EvaluateError, Evaluator, Results, Row, Scores},
};

/// Asks a judge about every row.
pub(in crate::evaluate) struct LlmJudge {
    pub(super) judging: Judging,
    pub(super) rule: Box<dyn JudgeRule>,
    /// The field of a prediction that the judge reads, where it does not read the whole.
    pub(super) reads: Option<&'static str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    prompt_template: Component,
    judge_cfg: Option<Node>,
    /// The data set again, whose rows the store has.
    #[serde(rename = "dataset_cfg")]
    _dataset_cfg: Option<Node>,
    dict_postprocessor: Option<Component>,
    /// Nothing reads it.
    #[serde(rename = "keep_predictions")]
    _keep_predictions: Option<Node>,
}

/// The end of OpenCompass's file of replies.
const FILE_SUFFIX: &str = "_replica0";

impl LlmJudge {
    /// Reads `dict(type=GenericLLMEvaluator, prompt_template=…, dict_postprocessor=…)`.
    pub(in crate::evaluate) fn boxed(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        Ok(Box::new(Self::from_component(component, FILE_SUFFIX)?))
    }

    pub(super) fn from_component(
        component: &Component,
        file_suffix: &'static str,
    ) -> Result<Self, ConfigError> {
        let Params { prompt_template, judge_cfg, dict_postprocessor, .. } = component.read()?;
        Ok(Self {
            judging: Judging::new(&prompt_template, judge_cfg, file_suffix)?,
            rule: rules::build(dict_postprocessor.as_ref())?,
            reads: None,
        })
    }

    /// What the judge reads of a prediction.
    fn shown<'p>(&self, prediction: &'p Value) -> &'p Value {
        self.reads.and_then(|field| prediction.get(field)).unwrap_or(prediction)
    }

    /// The results of these rows, of which each has a reply.
    pub(super) fn of_replies(
        &self,
        rows: &[Row<'_>],
        asked: &[Asked],
    ) -> Result<Results, EvaluateError> {
        self.rule.results(&reply::of_rows(rows, asked)?)
    }
}

impl Evaluator for LlmJudge {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        self.results(rows).map(|results| results.scores)
    }

    fn results(&self, rows: &[Row<'_>]) -> Result<Results, EvaluateError> {
        self.of_replies(rows, &self.asks(rows)?)
    }

    fn judging(&self) -> Option<&Judging> {
        Some(&self.judging)
    }

    fn asks(&self, rows: &[Row<'_>]) -> Result<Vec<Asked>, EvaluateError> {
        let ask = |(index, row): (usize, &Row<'_>)| Asked {
            row: index,
            sample: with_columns(
                row.sample,
                [
                    ("prediction", self.shown(&row.prediction).clone()),
                    ("obj_gold", row.reference.clone()),
                    (REFERENCE, row.reference.clone()),
                ],
            ),
        };
        Ok(rows.iter().enumerate().map(ask).collect())
    }
}
