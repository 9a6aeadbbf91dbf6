//! One entry of `datasets`, understood.

use std::path::Path;

use serde::Deserialize;

use super::{EvaluationPlan, PlanError, fields};
use crate::{
    config::{Component, ConfigError, Node, from_node, locate},
    dataset::{DatasetLocation, Reader, ReaderConfig, TableChoice},
    infer::{self, ModelDefaults},
    prompt::{self, PromptAssembly, PromptTemplate},
    report::prompt_version,
    retrieve::{self, Retriever},
};

/// Fields that are read.
const KNOWN: &[&str] = &[
    "abbr",
    "data_dir",
    "data_files",
    "eval_cfg",
    "infer_cfg",
    "name",
    "path",
    "reader_cfg",
    "revision",
    "split",
    "type",
];

/// A data set to be run.
pub struct DatasetPlan {
    /// Its name in tables and folders.
    pub abbr: String,
    /// Where its rows are.
    pub location: DatasetLocation,
    /// Which table, where there are several.
    pub table: TableChoice,
    /// Columns, splits and ranges.
    pub reader: Reader,
    /// Chooses in-context examples.
    pub retriever: Box<dyn Retriever>,
    /// The templates.
    pub assembly: PromptAssembly,
    /// What is asked; made for each model, whose entry gives its defaults.
    pub inferencer: Component,
    /// How the answers are scored.
    pub evaluation: EvaluationPlan,
    /// How it is answered, in OpenCompass's word: `ppl`, `gen` or `unknown`.
    pub mode: &'static str,
    /// OpenCompass's short hash of the prompt configuration.
    pub version: String,
    /// What was understood but changes nothing, and the like.
    pub notes: Vec<String>,
    /// The entry, for fingerprints.
    pub node: Node,
}

#[derive(Deserialize)]
struct DatasetEntry {
    abbr: Option<String>,
    path: Option<String>,
    name: Option<String>,
    data_dir: Option<String>,
    data_files: Option<Node>,
    split: Option<String>,
    revision: Option<String>,
    reader_cfg: Node,
    infer_cfg: InferConfig,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InferConfig {
    ice_template: Option<Component>,
    prompt_template: Option<Component>,
    retriever: Component,
    inferencer: Component,
}

impl DatasetPlan {
    /// The name of an entry, which may be left to its path.
    pub(super) fn name(node: &Node) -> String {
        let text = |field: &str| node.get(field).and_then(Node::as_str);
        match text("abbr") {
            Some(abbr) => abbr.to_owned(),
            None => default_abbr(text("path").unwrap_or_default(), text("name")),
        }
    }

    /// Understands an entry; `config` is the file it stands in.
    pub fn from_node(node: &Node, config: &Path) -> Result<Self, PlanError> {
        let entry: DatasetEntry = from_node(node)?;
        let Some(written) = entry.path.filter(|path| !path.is_empty()) else {
            return Err(ConfigError::at(&node.origin, "the data set has no path")
                .with_hint(
                    "give path='….jsonl' (or .json, .csv, .parquet, a folder with train and test files, or org/name on the hub)",
                )
                .into());
        };
        let abbr = entry.abbr.unwrap_or_else(|| default_abbr(&written, entry.name.as_deref()));
        let data_files =
            entry.data_files.as_ref().map(Node::to_json).filter(|files| !files.is_null());
        let table = TableChoice::new(entry.name, entry.data_dir, data_files.as_ref(), entry.split)
            .map_err(|what| ConfigError::at(&node.origin, format!("data set {abbr}: {what}")))?;
        let location = located(&written, entry.revision.as_deref(), &table, config).map_err(
            |(field, missing)| {
                let what = format!("data set {abbr}: there is no file or folder {missing:?}");
                ConfigError::at(node.get(field).map_or(&node.origin, |at| &at.origin), what)
                    .under(field)
                    .with_hint("looked in the current folder and in the config's folder and above")
            },
        )?;
        let mut notes = fields::misspelt(node, KNOWN);
        let InferConfig { ice_template, prompt_template, retriever: mut chosen, mut inferencer } =
            entry.infer_cfg;
        move_fixed_ids(&mut inferencer, &mut chosen, &mut notes);
        let retriever = retrieve::build(&chosen)?;
        let asks = infer::build(&inferencer, ModelDefaults::default())
            .map_err(|error| error.under("inferencer"))?;
        let assembly =
            match (template(ice_template.as_ref())?, template(prompt_template.as_ref())?) {
                (None, None) if !asks.needs_template() => Ok(PromptAssembly::without_templates()),
                (ice_template, prompt_template) => PromptAssembly::new(
                    ice_template,
                    prompt_template,
                    retriever.ice_separator(),
                    retriever.ice_eos_token(),
                ),
            }
            .map_err(|error| PlanError::Prompt {
                origin: node.origin.clone(),
                dataset: abbr.clone(),
                source: Box::new(error),
            })?;
        let evaluation = EvaluationPlan::from_node(node.get("eval_cfg"))?;
        if evaluation.evaluator.is_none() {
            notes.push("no evaluator: predictions are kept, nothing is scored".to_owned());
        }
        let reader: ReaderConfig =
            from_node(&unwrapped(&entry.reader_cfg)).map_err(|error| error.under("reader_cfg"))?;
        Ok(Self {
            abbr,
            location,
            table,
            mode: asks.summary_mode(),
            reader: Reader::new(reader),
            retriever,
            assembly,
            inferencer,
            evaluation,
            version: node.get("infer_cfg").map(prompt_version).unwrap_or_default(),
            notes,
            node: node.clone(),
        })
    }
}

/// A file or folder that is here, the files that `data_files` names, or else a repository that may be on
/// the hub. If it is none of them, the field that names what is not there.
fn located(
    written: &str,
    revision: Option<&str>,
    table: &TableChoice,
    config: &Path,
) -> Result<DatasetLocation, (&'static str, String)> {
    if let Some(path) = locate(Path::new(written), config) {
        return Ok(DatasetLocation::Local(path));
    }
    if DatasetLocation::is_format(written) && !table.data_files.is_empty() {
        let place = |file: &String| {
            locate(Path::new(file), config).ok_or_else(|| ("data_files", file.clone()))
        };
        let places = |(split, files): &(String, Vec<String>)| {
            Ok((split.clone(), files.iter().map(place).collect::<Result<_, _>>()?))
        };
        return table
            .data_files
            .iter()
            .map(places)
            .collect::<Result<_, _>>()
            .map(DatasetLocation::Files);
    }
    let revision = revision.filter(|_| !written.contains('@'));
    let name =
        revision.map_or_else(|| written.to_owned(), |revision| format!("{written}@{revision}"));
    DatasetLocation::on_hub(&name).ok_or_else(|| ("path", written.to_owned()))
}

/// A template, its labels in the order that a run of OpenCompass has.
fn template(component: Option<&Component>) -> Result<Option<PromptTemplate>, PlanError> {
    let built = component.map(prompt::build).transpose()?;
    Ok(built.map(PromptTemplate::with_sorted_labels))
}

/// A trailing comma makes a tuple of one out of `reader_cfg`; what was meant is clear.
fn unwrapped(node: &Node) -> Node {
    match node.as_list() {
        Some([only]) if only.as_dict().is_some() => only.clone(),
        _ => node.clone(),
    }
}

/// The documents show `fix_id_list` on the inferencer; it is the retriever's.
fn move_fixed_ids(inferencer: &mut Component, retriever: &mut Component, notes: &mut Vec<String>) {
    if let Some(ids) = inferencer.params.remove("fix_id_list") {
        if retriever.params.get("fix_id_list").is_none() {
            retriever.params.set("fix_id_list", ids);
        }
        notes.push(
            "fix_id_list belongs to the retriever and was moved there from the inferencer"
                .to_owned(),
        );
    }
}

/// OpenCompass's name for a data set without `abbr`.
fn default_abbr(path: &str, name: Option<&str>) -> String {
    let whole = name.map_or_else(|| path.to_owned(), |name| format!("{path}_{name}"));
    whole.replace('/', "_")
}
