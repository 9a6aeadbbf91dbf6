//! What a data set's entry says about evaluation.

use serde::Deserialize;

use super::PlanError;
use crate::{
    config::{Component, Node, from_node},
    evaluate::{self, Evaluator},
    postprocess::{self, Postprocessor},
    score::{self, Rule},
};

/// How the answers to a data set are scored. It is made of `eval_cfg` alone, so that a run can be evaluated
/// again where its data files are not.
pub struct EvaluationPlan {
    /// Chooses among candidates.
    pub rule: Box<dyn Rule>,
    /// Compares predictions with golds; none means that predictions are all that is wanted.
    pub evaluator: Option<Box<dyn Evaluator>>,
    /// Applied to predictions before they are compared.
    pub prediction_postprocessor: Option<Box<dyn Postprocessor>>,
    /// Applied to golds before they are compared.
    pub gold_postprocessor: Option<Box<dyn Postprocessor>>,
}

#[derive(Default, Deserialize)]
struct EvalConfig {
    rule: Option<Component>,
    evaluator: Option<Component>,
    pred_postprocessor: Option<Component>,
    dataset_postprocessor: Option<Component>,
}

impl EvaluationPlan {
    /// Understands `eval_cfg`; without one, nothing is scored.
    pub fn from_node(eval_cfg: Option<&Node>) -> Result<Self, PlanError> {
        let config: EvalConfig = match eval_cfg.filter(|node| !node.is_none()) {
            Some(node) => from_node(node).map_err(|error| error.under("eval_cfg"))?,
            None => EvalConfig::default(),
        };
        let rule =
            |component: &Option<Component>| component.as_ref().map(postprocess::build).transpose();
        Ok(Self {
            rule: match &config.rule {
                Some(component) => score::build(component)?,
                None => score::default_rule(),
            },
            evaluator: config.evaluator.as_ref().map(evaluate::build).transpose()?,
            prediction_postprocessor: rule(&config.pred_postprocessor)?,
            gold_postprocessor: rule(&config.dataset_postprocessor)?,
        })
    }
}
