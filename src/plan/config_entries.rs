//! The entries of a config as they are written, nothing looked for and nothing opened.

use std::path::Path;

use super::{
    ComparisonPlan, DatasetPlan, ModelPlan, PlanError, borrowed_parameters, run_plan, variant,
};
use crate::config::{self, Node};

/// Data sets and models of a config, by their names.
#[derive(Debug)]
pub struct ConfigEntries {
    datasets: Vec<(String, Node)>,
    models: Vec<(String, Node)>,
}

impl ConfigEntries {
    /// Evaluates a config.
    pub fn load(path: &Path) -> Result<Self, PlanError> {
        let config = config::load(path)?;
        let datasets = run_plan::dataset_entries(&config)?;
        let models = run_plan::entries(&config, "models")?;
        let datasets: Vec<_> = datasets
            .into_iter()
            .map(|mut node| {
                ComparisonPlan::tell(&mut node)?;
                borrowed_parameters::tell(&mut node)?;
                let name = DatasetPlan::name(&node);
                variant::expanded(node, &name)
            })
            .collect::<Result<_, _>>()?;
        let expanded = datasets.into_iter().flatten().map(|(_, node)| node);
        Ok(Self {
            datasets: expanded.map(|node| (DatasetPlan::name(&node), node)).collect(),
            models: models.into_iter().map(|node| (ModelPlan::name(&node), node)).collect(),
        })
    }

    /// The names of its data sets.
    pub fn dataset_names(&self) -> impl Iterator<Item = &str> {
        self.datasets.iter().map(|(name, _)| name.as_str())
    }

    /// The data set of this name.
    pub fn dataset(&self, abbr: &str) -> Option<&Node> {
        self.datasets.iter().find(|(name, _)| name == abbr).map(|(_, node)| node)
    }

    /// The model of this name.
    pub fn model(&self, abbr: &str) -> Option<&Node> {
        self.models.iter().find(|(name, _)| name == abbr).map(|(_, node)| node)
    }
}
