//! Who judges: the model that evaluators ask where their own entry names none.
//!
//! A judge is a model entry like any other. One that is typed takes the place of all that configs name; else an
//! evaluator's own `judge_cfg` counts before the config's `judge_models` or `judge_cfg`. A judge that cannot be run
//! here, such as a served one, is no error: everything is asked but the judge, and that is told.

use std::{path::Path, sync::Arc};

use super::{DatasetPlan, ModelPlan, PlanError, run_plan::entries};
use crate::config::{Config, ConfigError, Node};

/// The judge of a run.
#[derive(Clone, Default)]
pub struct RunJudge {
    model: Option<Arc<ModelPlan>>,
    is_typed: bool,
    /// Why a judge that is named does not judge.
    pub notes: Vec<String>,
}

impl RunJudge {
    /// The judge that a command line names.
    pub fn typed(path: &Path) -> Result<Self, PlanError> {
        let model = ModelPlan::of_path(path)?;
        Ok(Self { model: Some(Arc::new(model)), is_typed: true, notes: Vec::new() })
    }

    /// The judge of a config, if it names one.
    pub(super) fn of_config(config: &Config, path: &Path) -> Result<Option<Self>, PlanError> {
        let models = entries(config, "judge_models")?;
        let node = match models.as_slice() {
            [] => config.get("judge_cfg").filter(|node| !is_empty(node)).cloned(),
            [only] => Some(only.clone()),
            [_, second, ..] => {
                let message = "several judges: each would give its own figure";
                return Err(ConfigError::at(&second.origin, message)
                    .with_hint("leave one in judge_models, and evaluate again with --judge")
                    .into());
            }
        };
        let Some(node) = node else { return Ok(None) };
        let (model, notes) = understood(&node, path);
        Ok(Some(Self { model: model.map(Arc::new), is_typed: false, notes }))
    }

    /// Who judges a data set's predictions; nothing where nobody does, or nobody is to.
    pub fn of<'p>(&'p self, dataset: &'p DatasetPlan) -> Option<&'p ModelPlan> {
        dataset.evaluation.evaluator.as_ref()?.judging()?;
        let own = self.model.as_deref();
        own.filter(|_| self.is_typed).or(dataset.judge.as_ref()).or(own)
    }

    /// The model of the run's own judge.
    pub fn model(&self) -> Option<&ModelPlan> {
        self.model.as_deref()
    }

    /// Whether it takes the place of all that configs name.
    pub fn is_typed(&self) -> bool {
        self.is_typed
    }

    /// Its entry as a config has it.
    pub(super) fn node(&self) -> Option<&Node> {
        self.model.as_ref().map(|model| &model.node)
    }
}

/// The judge of an evaluator's own entry, if that names one, and why it does not judge.
pub(super) fn of_evaluator(node: Option<&Node>, config: &Path) -> (Option<ModelPlan>, Vec<String>) {
    node.map_or_else(|| (None, Vec::new()), |node| understood(node, config))
}

fn understood(node: &Node, config: &Path) -> (Option<ModelPlan>, Vec<String>) {
    match ModelPlan::from_node(node, config) {
        Ok(model) => (Some(model), Vec::new()),
        Err(error) => (
            None,
            vec![format!(
                "the judge of the config cannot be run here, give --judge MODEL: {error}"
            )],
        ),
    }
}

fn is_empty(node: &Node) -> bool {
    node.is_none() || node.as_dict().is_some_and(<[_]>::is_empty)
}
