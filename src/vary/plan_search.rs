//! The search as a whole: model by model, step by step.

use std::path::PathBuf;

use super::{
    Element, Find, Findings, VaryError, format_space::FormatSpace, model_search::ModelSearch,
    search::Search, text_axes::Readers, told_once::ToldOnce,
};
use crate::{
    config::{Component, Node, Value},
    dataset::Dataset,
    infer::INFERENCERS,
    plan::{DatasetPlan, ModelPlan, RunPlan},
    postprocess::{self, Postprocessor},
    prepare::{CheckpointModels, LoadedDataset, PassageSearches, Progress, RowSources},
    report::VARIANT_MARK,
    run::RunOptions,
    statistics::Resampling,
};

/// How formats are tried.
#[derive(Clone, Debug)]
pub struct VaryOptions {
    /// The config that the plan was made of.
    pub config: PathBuf,
    /// Most formats, the config's own included.
    pub formats: usize,
    /// Most elements in which a format differs from the config's own.
    pub changes: usize,
    /// Which elements may vary.
    pub elements: Vec<Element>,
    /// What is looked for.
    pub find: Find,
    /// The seed of formats, samples and examples.
    pub seed: u64,
    /// Most tokens that may be computed in all.
    pub budget_tokens: Option<usize>,
    /// The metric; without it, the first whose samples have scores.
    pub metric: Option<String>,
    /// How often samples are drawn anew for intervals.
    pub resampling: Resampling,
    /// Where the best format is written as a config; of several models one beside it for each.
    pub output: Option<PathBuf>,
    /// How each step is run.
    pub run: RunOptions,
}

/// Tries formats of every data set of a plan under every model of it.
pub fn vary(
    plan: RunPlan,
    options: &VaryOptions,
    progress: &dyn Progress,
) -> Result<Findings, VaryError> {
    let RunPlan { models, datasets, summarizer, judge, tasks: _ } = plan;
    let is_same = |output: &PathBuf| {
        std::path::absolute(output).ok() == std::path::absolute(&options.config).ok()
    };
    if let Some(path) = options.output.clone().filter(is_same) {
        return Err(VaryError::OverConfig { path });
    }
    let datasets = without_variants(datasets, progress)?;
    datasets.iter().try_for_each(check)?;
    let answering = CheckpointModels::new(Some(&options.run.work_dir), progress);
    let limit = options.run.limit;
    let searches = PassageSearches::default();
    let sources = RowSources { models: &answering, searches: &searches };
    let loaded = LoadedDataset::load_all(&datasets, limit, sources, progress, &|| ())?;
    let mut findings = Findings {
        searches: Vec::new(),
        runs: Vec::new(),
        computed_tokens: 0,
        reused_tokens: 0,
        budget_tokens: options.budget_tokens,
        seed: options.seed,
        find: options.find,
        configs: Vec::new(),
        failed_samples: 0,
        warnings: Vec::new(),
        notes: Vec::new(),
        errors: Vec::new(),
    };
    let told = ToldOnce::new(progress);
    let count = models.len();
    for (place, model) in models.into_iter().enumerate() {
        let searches = datasets
            .iter()
            .zip(&loaded)
            .map(|(dataset, loaded)| {
                let space = space(dataset, &loaded.rows, &model, options)?;
                Ok(Search::new(dataset, &loaded.rows.test, space, options))
            })
            .collect::<Result<Vec<_>, VaryError>>()?;
        let budget = options.budget_tokens.map(|budget| {
            let left = budget.saturating_sub(findings.computed_tokens);
            // What one model leaves is for those after it.
            left / (count - place)
        });
        let plan = RunPlan {
            tasks: None,
            models: vec![model],
            datasets: Vec::new(),
            summarizer: None,
            judge: judge.clone(),
        };
        let mut of_model = ModelSearch { plan, searches, budget, options, progress: &told };
        match of_model.search(&mut findings) {
            // Under the other models there may be findings.
            Err(error) if count > 1 => {
                findings.errors.push(error.to_string());
                continue;
            }
            other => other?,
        }
        of_model.tell(&mut findings, summarizer.as_ref(), count > 1)?;
    }
    Ok(findings)
}

/// The data sets themselves: variants that the config names are left out, and told.
fn without_variants(
    mut datasets: Vec<DatasetPlan>,
    progress: &dyn Progress,
) -> Result<Vec<DatasetPlan>, VaryError> {
    let variants: Vec<String> = datasets
        .iter()
        .filter(|dataset| dataset.abbr.contains(VARIANT_MARK))
        .map(|dataset| dataset.abbr.clone())
        .collect();
    datasets.retain(|dataset| !dataset.abbr.contains(VARIANT_MARK));
    if datasets.is_empty() {
        return Err(VaryError::OnlyVariants { names: variants.join(", ") });
    }
    if !variants.is_empty() {
        progress.note(&format!("left out, being variants of their own: {}", variants.join(", ")));
    }
    Ok(datasets)
}

fn inferencer(dataset: &DatasetPlan) -> String {
    let node = dataset.node.get("infer_cfg").and_then(|own| own.get("inferencer"));
    let component = node.and_then(|node| Component::parse(node).ok());
    component.map(|component| component.type_name).unwrap_or_default()
}

/// Whether formats of a data set can be tried and compared.
fn check(dataset: &DatasetPlan) -> Result<(), VaryError> {
    if dataset.stage.is_some() {
        return Err(VaryError::Staged { dataset: dataset.abbr.clone() });
    }
    let inferencer = inferencer(dataset);
    let name = INFERENCERS.find(&inferencer).map(|found| found.name);
    if !matches!(name, Some("ppl" | "gen")) {
        return Err(VaryError::Inferencer { dataset: dataset.abbr.clone(), inferencer });
    }
    if dataset.evaluation.evaluator.is_none() {
        let why = "its entry names no evaluator".to_owned();
        return Err(VaryError::NoMetric { dataset: dataset.abbr.clone(), why });
    }
    Ok(())
}

/// What may vary in a data set under a model; an error if nothing may.
fn space(
    dataset: &DatasetPlan,
    rows: &Dataset,
    model: &ModelPlan,
    options: &VaryOptions,
) -> Result<FormatSpace, VaryError> {
    let empty = Node::from(Value::Dict(Vec::new()));
    let infer_cfg = dataset.node.get("infer_cfg").unwrap_or(&empty);
    let own_stops = infer_cfg.get("inferencer").and_then(|own| own.get("stopping_criteria"));
    let mut stops = Vec::new();
    if let Some(node) = own_stops {
        texts(node, &mut stops);
    }
    stops.extend(model.stop_words.iter().cloned());
    let mut postprocessor_texts = Vec::new();
    let own = dataset.node.get("eval_cfg").and_then(|own| own.get("pred_postprocessor"));
    for node in own.into_iter().chain(model.node.get("pred_postprocessor")) {
        parameters(node, &mut postprocessor_texts);
    }
    let rules: [Option<&dyn Postprocessor>; 2] =
        [model.postprocessor.as_deref(), dataset.evaluation.prediction_postprocessor.as_deref()];
    let sample = rows.test.first().cloned().unwrap_or_default();
    let reads = |text: &str| {
        let mut answer = serde_json::Value::String(text.to_owned());
        for rule in rules.into_iter().flatten() {
            answer = postprocess::apply(rule, &answer, &sample).unwrap_or_default();
        }
        answer.to_string()
    };
    let readers = Readers {
        stops,
        postprocessor_texts,
        reads: (!dataset.inferencer.ranks()).then_some(&reads),
        output_column: dataset.reader.output_column(),
    };
    let space = FormatSpace::new(infer_cfg, rows, &readers, &options.elements, options.seed);
    if space.axes.is_empty() {
        let reasons = space.not_varied.iter();
        return Err(VaryError::NothingVaries {
            dataset: dataset.abbr.clone(),
            reasons: reasons.map(|own| format!("{}: {}", own.element, own.reason)).collect(),
        });
    }
    Ok(space)
}

/// The texts in the parameters of a component.
fn parameters(node: &Node, found: &mut Vec<String>) {
    for (key, value) in node.as_dict().unwrap_or_default() {
        if key.as_str() != Some("type") {
            texts(value, found);
        }
    }
}

/// All texts in a value.
fn texts(node: &Node, found: &mut Vec<String>) {
    if let Some(items) = node.as_list() {
        for item in items {
            texts(item, found);
        }
    } else if node.as_dict().is_some() {
        parameters(node, found);
    } else if let Some(text) = node.as_str() {
        found.push(text.to_owned());
    }
}
