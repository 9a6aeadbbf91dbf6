//! What a command line asks for, with every default filled and every name resolved.

use std::path::{Path, PathBuf};

use super::{DatasetPlan, ModelPlan, PlanError, RunJudge, abbr, custom_dataset, variant};
use crate::{
    config::{self, ConfigError, Node, Origin, Value},
    dataset::is_table,
    hub::HubName,
    model::Checkpoint,
};

/// Models × data sets.
pub struct RunPlan {
    /// In the order of the configs.
    pub models: Vec<ModelPlan>,
    /// In the order of the configs.
    pub datasets: Vec<DatasetPlan>,
    /// The `summarizer` of the last config that has one.
    pub summarizer: Option<Node>,
    /// Who judges where evaluators ask a judge.
    pub judge: RunJudge,
}

impl RunPlan {
    /// Evaluates configs and understands them together. `models` given on the command line replace those
    /// of the configs.
    pub fn load(configs: &[PathBuf], models: &[PathBuf]) -> Result<Self, PlanError> {
        Self::load_with(configs, models, &nothing())
    }

    /// The same. `about_files` is a dict of what was typed about files of rows that stand among the configs, with the fields of a
    /// [`CustomDataset`](super::CustomDataset).
    pub fn load_with(
        configs: &[PathBuf],
        models: &[PathBuf],
        about_files: &Node,
    ) -> Result<Self, PlanError> {
        let plan = Self::load_to_view(configs, models, about_files)?;
        if plan.models.is_empty() {
            return Err(PlanError::Nothing {
                files: joined(configs),
                what: "model",
                how: "set `models = [dict(type=HuggingFaceCausalLM, path=…)]`, or give --model",
            });
        }
        Ok(plan)
    }

    /// The same, but a plan needs no model: prompts can be looked at without one.
    pub fn load_to_view(
        configs: &[PathBuf],
        models: &[PathBuf],
        about_files: &Node,
    ) -> Result<Self, PlanError> {
        let mut plan = Self {
            models: Vec::new(),
            datasets: Vec::new(),
            summarizer: None,
            judge: RunJudge::default(),
        };
        for path in configs {
            if is_table(path) {
                let (node, assumed) = custom_dataset::filled(
                    &custom_dataset::of_file(path, about_files),
                    Path::new("."),
                )?;
                plan.datasets.push(DatasetPlan::from_node(&node, Path::new("."))?.noted(assumed));
                continue;
            }
            let config = config::load(path)?;
            if models.is_empty() {
                for node in entries(&config, "models")? {
                    plan.models.push(ModelPlan::from_node(&node, path)?);
                }
            }
            for node in dataset_entries(&config)? {
                if custom_dataset::is_custom(&node) {
                    let (node, assumed) = custom_dataset::filled(&node, path)?;
                    plan.datasets.push(DatasetPlan::from_node(&node, path)?.noted(assumed));
                    continue;
                }
                for (variant, node) in variant::expanded(node.clone(), &DatasetPlan::name(&node))? {
                    let dataset = DatasetPlan::from_node(&node, path)?;
                    plan.datasets.push(DatasetPlan { variant, ..dataset });
                }
            }
            if let Some(node) = config.get("summarizer") {
                plan.summarizer = Some(node.clone());
            }
            if let Some(judge) = RunJudge::of_config(&config, path)? {
                plan.judge = judge;
            }
        }
        for folder in models {
            plan.models.push(ModelPlan::of_path(folder)?);
        }
        plan.check(configs)?;
        Ok(plan)
    }

    /// The models, data sets and summarizer as a config that makes the same plan.
    pub fn dump(&self) -> String {
        let list = |nodes: Vec<Node>| Node::new(Value::List(nodes), Origin::memory());
        let models = list(self.models.iter().map(|model| model.node.clone()).collect());
        let datasets = list(self.datasets.iter().map(|dataset| dataset.node.clone()).collect());
        let mut variables = vec![("datasets".to_owned(), datasets), ("models".to_owned(), models)];
        variables.extend(self.summarizer.clone().map(|node| ("summarizer".to_owned(), node)));
        let judge = self.judge.node().map(|node| list(vec![node.clone()]));
        variables.extend(judge.map(|node| ("judge_models".to_owned(), node)));
        config::Config { variables, files: Vec::new() }.to_python()
    }

    /// The models that judge, each once.
    pub fn judges(&self) -> Vec<&ModelPlan> {
        let mut judges: Vec<&ModelPlan> = Vec::new();
        for judge in self.datasets.iter().filter_map(|dataset| self.judge.of(dataset)) {
            if !judges.iter().any(|known| known.node == judge.node) {
                judges.push(judge);
            }
        }
        judges
    }

    fn check(&self, configs: &[PathBuf]) -> Result<(), PlanError> {
        if self.datasets.is_empty() {
            return Err(PlanError::Nothing {
                files: joined(configs),
                what: "data set",
                how: "set `datasets = [dict(path=…, reader_cfg=…, infer_cfg=…, eval_cfg=…)]`",
            });
        }
        abbr::check("model", self.models.iter().map(|model| (&*model.abbr, &model.node)))?;
        let datasets = self.datasets.iter().map(|dataset| (&*dataset.abbr, &dataset.node));
        abbr::check("data set", datasets)
    }
}

/// A dict that says nothing.
fn nothing() -> Node {
    Node::new(Value::Dict(Vec::new()), Origin::memory())
}

fn joined(configs: &[PathBuf]) -> String {
    configs.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// The entries of a list variable; none if the config does not set it.
pub(super) fn entries(config: &config::Config, name: &str) -> Result<Vec<Node>, PlanError> {
    match config.get(name) {
        None => Ok(Vec::new()),
        Some(node) => match node.as_list() {
            Some(nodes) => Ok(nodes.to_vec()),
            None => Err(ConfigError::at(
                &node.origin,
                format!("`{name}` must be a list, found {}", node.describe()),
            )
            .into()),
        },
    }
}

/// `datasets`, or without it every variable whose name ends in `_datasets`.
pub(super) fn dataset_entries(config: &config::Config) -> Result<Vec<Node>, PlanError> {
    if config.get("datasets").is_some() {
        return entries(config, "datasets");
    }
    let mut found = Vec::new();
    for (name, _) in config.variables.iter().filter(|(name, _)| name.ends_with("_datasets")) {
        found.extend(entries(config, name)?);
    }
    Ok(found)
}

/// The entry that `--model` with a folder or a GGUF file stands for.
pub(super) fn model_of_folder(folder: &Path) -> Node {
    let path = folder.display().to_string();
    let on_hub = HubName::unless_here(&path).filter(|name| name.file.is_none());
    let name = if Checkpoint::is_gguf(folder) { folder.file_stem() } else { folder.file_name() };
    let name = match (on_hub, name) {
        // The revision is part of the name, and may have slashes of its own.
        (Some(on_hub), _) => {
            let whole = on_hub.to_string();
            whole.split_once('/').map_or(&*whole, |(_, name)| name).replace('/', "_")
        }
        (None, Some(name)) => name.to_string_lossy().into_owned(),
        (None, None) => path.clone(),
    };
    let mut node = Node::new(Value::Dict(Vec::new()), Origin::memory());
    let text = |text: &str| Node::new(Value::Str(text.to_owned()), Origin::memory());
    node.set("type", text("HuggingFaceCausalLM"));
    node.set("abbr", text(&name));
    node.set("path", text(&path));
    node
}
