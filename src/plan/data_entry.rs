//! The data that entries of configs need, whether or not a run would take the rest of them.

use std::path::{Path, PathBuf};

use super::{DatasetPlan, PlanError, TaskChoice, dataset_plan, row_source::RowSource, run_plan};
use crate::{
    config::{self, ConfigError, Node},
    dataset::DataNeeds,
};

/// A data set of a config, by what it reads.
#[derive(Debug)]
pub struct DataEntry {
    /// Its name.
    pub abbr: String,
    /// What its rows come from, or why that cannot be told.
    pub needs: Result<DataNeeds, ConfigError>,
}

impl DataEntry {
    /// The data sets of configs, and tasks. Variants of a data set read the same rows, so an entry stands once.
    pub fn load(configs: &[PathBuf], tasks: Option<&TaskChoice>) -> Result<Vec<Self>, PlanError> {
        let mut entries = Vec::new();
        if let Some(tasks) = tasks {
            entries.extend(tasks.planned()?.datasets.iter().map(Self::of_task));
        }
        for path in configs {
            for node in run_plan::dataset_entries(&config::load(path)?)? {
                let needs = needs(&node, path);
                entries.push(Self { abbr: DatasetPlan::name(&node), needs });
            }
        }
        Ok(entries)
    }
}

impl DataEntry {
    fn of_task(dataset: &DatasetPlan) -> Self {
        let task = dataset.task.as_deref();
        let splits = task.map(|task| [task.asked_split(), task.example_split()]);
        let splits: Vec<&str> = splits.into_iter().flatten().flatten().collect();
        let needs = dataset.location.needs(&dataset.table, &splits);
        let needs = needs.map_err(|problem| ConfigError::at(&dataset.node.origin, problem));
        Self { abbr: dataset.abbr.clone(), needs }
    }
}

fn needs(node: &Node, config: &Path) -> Result<DataNeeds, ConfigError> {
    let places = RowSource::in_archives(node, config)?;
    if !places.is_empty() {
        return Ok(DataNeeds { places, tables: Vec::new() });
    }
    let source = RowSource::from_entry(&mut node.clone(), config)?;
    let splits = node.get("reader_cfg").map(dataset_plan::reader).transpose()?;
    let splits = splits.as_ref().map_or_else(Vec::new, |(reader, _)| reader.splits().to_vec());
    let needs = source.location.needs(&source.table, &splits);
    needs.map_err(|problem| ConfigError::at(&node.origin, problem))
}
