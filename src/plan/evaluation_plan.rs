//! What a data set's entry says about evaluation.

use serde::Deserialize;

use super::{
    PlanError,
    unread_fields::{Place, settle},
};
use crate::{
    config::{Component, ConfigError, Node, from_node},
    evaluate::{self, Evaluator, WORDNET_HINT},
    postprocess::{self, Postprocessor},
    score::{self, Rule},
};

/// How the answers to a data set are scored. It is made of `eval_cfg` alone, so that a run can be evaluated
/// again where its data files are not.
pub struct EvaluationPlan {
    /// Our name of the scoring rule.
    pub rule_name: &'static str,
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
#[serde(deny_unknown_fields)]
struct EvalConfig {
    rule: Option<Component>,
    evaluator: Option<Component>,
    pred_postprocessor: Option<Component>,
    dataset_postprocessor: Option<Component>,
}

impl EvaluationPlan {
    /// Whether scoring runs what a model wrote.
    pub fn runs_code(&self) -> bool {
        self.evaluator.as_deref().is_some_and(Evaluator::runs_code)
    }

    /// How many times scoring asks a judge; 0 where it asks none.
    pub fn judge_rounds(&self) -> usize {
        let judging = self.evaluator.as_deref().and_then(Evaluator::judging);
        judging.map_or(0, |judging| judging.rounds)
    }

    /// Understands `eval_cfg`; without one, nothing is scored. Also gives notes on fields that change
    /// nothing.
    pub fn from_node(eval_cfg: Option<&Node>) -> Result<(Self, Vec<String>), PlanError> {
        let (config, mut notes) = match eval_cfg.filter(|node| !node.is_none()).cloned() {
            Some(mut node) => {
                let under = |error: ConfigError| error.under("eval_cfg");
                let mut notes = settle(Place::EvalConfig, &mut node).map_err(under)?;
                if node.get("evaluator").and_then(Node::as_dict).is_some_and(<[_]>::is_empty) {
                    node.remove("evaluator");
                    notes.push(
                        "evaluator=dict() names none: predictions are kept, not scored".to_owned(),
                    );
                }
                (from_node(&node).map_err(under)?, notes)
            }
            None => (EvalConfig::default(), Vec::new()),
        };
        let rule =
            |component: &Option<Component>| component.as_ref().map(postprocess::build).transpose();
        let (rule_name, candidate_rule) = score::build(config.rule.as_ref())?;
        let plan = Self {
            rule_name,
            rule: candidate_rule,
            evaluator: config.evaluator.as_ref().map(evaluate::build).transpose()?,
            prediction_postprocessor: rule(&config.pred_postprocessor)?,
            gold_postprocessor: rule(&config.dataset_postprocessor)?,
        };
        if plan.evaluator.as_deref().is_some_and(Evaluator::lacks_wordnet) {
            notes.push(format!("METEOR finds no WordNet and will score nothing; {WORDNET_HINT}"));
        }
        Ok((plan, notes))
    }
}
