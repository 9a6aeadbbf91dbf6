//! One entry of `datasets`, understood.

use std::{path::Path, sync::Arc};

use serde::Deserialize;

use super::{
    ComparisonPlan, EvaluationPlan, ModelPlan, PlanError, RepeatsPlan, Stage, Variant,
    borrowed_parameters, judge_plan,
    row_source::{RowSource, default_abbr},
    unread_fields::{Place, settle},
};
use crate::{
    config::{Component, ConfigError, Node, Value, from_node, locate},
    dataset::{DatasetLocation, Reader, ReaderConfig, RowDraw, TableChoice},
    evaluate::Evaluator,
    infer::{self, Inferencer},
    prompt::{self, PromptAssembly, PromptTemplate},
    report::prompt_version,
    retrieve::{self, Retriever},
    tasks::TaskPlan,
};

/// A data set to be run.
pub struct DatasetPlan {
    /// Its name in tables and folders.
    pub abbr: String,
    /// Which variant of which data set it is, if its entry has variants.
    pub variant: Option<Variant>,
    /// Which stage of which data set it is, if its entry has stages.
    pub stage: Option<Stage>,
    /// Where its rows are.
    pub location: DatasetLocation,
    /// Which table, where there are several.
    pub table: TableChoice,
    /// Which of the test rows are asked about; all of them without it. No config says it.
    pub draw: Option<RowDraw>,
    /// Columns, splits and ranges.
    pub reader: Reader,
    /// Chooses in-context examples.
    pub retriever: Box<dyn Retriever>,
    /// The templates.
    pub assembly: PromptAssembly,
    /// What is asked; [`Inferencer::with_defaults`] makes it a model's.
    pub inferencer: Box<dyn Inferencer>,
    /// How often it is asked.
    pub repeats: RepeatsPlan,
    /// How the answers are scored.
    pub evaluation: EvaluationPlan,
    /// Whose answers they are compared with, if they are.
    pub comparison: Option<ComparisonPlan>,
    /// The judge that its evaluator names, if it names one that can be run here.
    pub judge: Option<ModelPlan>,
    /// How it is answered, in OpenCompass's word: `ppl`, `gen` or `unknown`.
    pub mode: &'static str,
    /// OpenCompass's short hash of the prompt configuration.
    pub version: String,
    /// What was understood but changes nothing, and the like.
    pub notes: Vec<String>,
    /// The task of lm-evaluation-harness that it is, if it is one.
    pub task: Option<Arc<TaskPlan>>,
    /// The entry, for fingerprints.
    pub node: Node,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "these are the names in configs")]
struct DatasetEntry {
    reader_cfg: Node,
    infer_cfg: InferConfig,
    eval_cfg: Option<Node>,
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
    /// What its rows are called after: the data set, whatever the variant.
    pub fn rows_name(&self) -> &str {
        self.variant.as_ref().map_or(&self.abbr, |variant| &variant.dataset)
    }

    /// Its place among the stages of its data set, from 0; where it is none, 0 as well.
    pub fn stage_number(&self) -> usize {
        self.stage.as_ref().map_or(0, |stage| stage.number)
    }

    /// Whether a stage before it has to be asked first.
    pub fn waits(&self) -> bool {
        self.stage.as_ref().is_some_and(Stage::waits)
    }

    /// The same, with a note before its others.
    pub(super) fn noted(mut self, note: String) -> Self {
        self.notes.insert(0, note);
        self
    }

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
        let mut node = node.clone();
        ComparisonPlan::tell(&mut node)?;
        borrowed_parameters::tell(&mut node)?;
        let mut fields = node.clone();
        let comparison = ComparisonPlan::take(&mut fields, config)?;
        let repeats = RepeatsPlan::take(&mut fields)?;
        let RowSource { abbr, location, table, mut notes } =
            RowSource::from_entry(&mut fields, config)?;
        if let Some(infer_cfg) = fields.get_mut("infer_cfg") {
            notes.extend(settle(Place::InferConfig, infer_cfg)?);
        }
        let entry: DatasetEntry = from_node(&fields)?;
        let InferConfig { ice_template, prompt_template, retriever: mut chosen, mut inferencer } =
            entry.infer_cfg;
        move_fixed_ids(&mut inferencer, &mut chosen, &mut notes);
        locate_models(&mut chosen, config);
        locate_corpus(&mut inferencer, config);
        let retriever = retrieve::build(&chosen)?;
        notes.extend(settle(Place::Inferencer, &mut inferencer.params)?);
        let of_kind = infer::INFERENCERS.find(&inferencer.type_name);
        if let Some(place) = of_kind.and_then(|kind| Place::of_inferencer(kind.name)) {
            notes.extend(settle(place, &mut inferencer.params)?);
        }
        let inferencer = infer::build(&inferencer).map_err(|error| error.under("inferencer"))?;
        let assembly =
            match (template(ice_template.as_ref())?, template(prompt_template.as_ref())?) {
                (None, None) if !inferencer.needs_template() => {
                    Ok(PromptAssembly::without_templates())
                }
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
        let (evaluation, settled) = EvaluationPlan::from_node(entry.eval_cfg.as_ref())?;
        notes.extend(settled);
        let judging = evaluation.evaluator.as_deref().and_then(Evaluator::judging);
        let (judge, unjudged) =
            judge_plan::of_evaluator(judging.and_then(|own| own.model.as_ref()), config);
        notes.extend(unjudged);
        if evaluation.evaluator.is_none() {
            notes.push("no evaluator: predictions are kept, nothing is scored".to_owned());
        }
        let (reader, settled) = reader(&entry.reader_cfg)?;
        notes.extend(settled);
        let ignores_inputs = location.is_of_class() && !retriever.reads_texts();
        Ok(Self {
            abbr,
            variant: None,
            stage: None,
            draw: None,
            location,
            table,
            mode: inferencer.summary_mode(),
            reader: if ignores_inputs { reader.without_inputs() } else { reader },
            retriever,
            assembly,
            inferencer,
            repeats,
            evaluation,
            comparison,
            judge,
            version: node.get("infer_cfg").map(prompt_version).unwrap_or_default(),
            notes,
            task: None,
            node,
        })
    }
}

/// A template, its labels in the order that a run of OpenCompass has.
fn template(component: Option<&Component>) -> Result<Option<PromptTemplate>, PlanError> {
    let built = component.map(prompt::build).transpose()?;
    Ok(built.map(PromptTemplate::with_sorted_labels))
}

/// The reader of a `reader_cfg`, and what is to be told of it.
pub(super) fn reader(written: &Node) -> Result<(Reader, Vec<String>), ConfigError> {
    let under_reader_cfg = |error: ConfigError| error.under("reader_cfg");
    let mut reader_cfg = unwrapped(written);
    let notes = settle(Place::ReaderConfig, &mut reader_cfg).map_err(under_reader_cfg)?;
    let config = from_node::<ReaderConfig>(&reader_cfg).map_err(under_reader_cfg)?;
    Ok((Reader::new(config), notes))
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

/// Fields of a retriever that name checkpoints.
const MODEL_FIELDS: [&str; 3] =
    ["ce_model_name", "sentence_transformers_model_name", "tokenizer_name"];

/// Puts the folders of a retriever's checkpoints where their names are, as far as they are folders.
fn locate_models(retriever: &mut Component, config: &Path) {
    for field in MODEL_FIELDS {
        if let Some(name) = retriever.params.get_mut(field)
            && let Value::Str(written) = &mut name.value
            && let Some(place) = locate(Path::new(written.as_str()), config)
        {
            *written = place.to_string_lossy().into_owned();
        }
    }
}

/// Puts the place of a corpus, and that of an encoder if it is a folder, where their names are.
fn locate_corpus(inferencer: &mut Component, config: &Path) {
    let put = |place: &mut Node| {
        if let Value::Str(written) = &mut place.value
            && let Some(found) = locate(Path::new(written.as_str()), config)
        {
            *written = found.to_string_lossy().into_owned();
        }
    };
    for field in ["corpus", "encoder"] {
        let Some(field) = inferencer.params.get_mut(field) else { continue };
        if field.as_dict().is_none() {
            put(field);
        } else if let Some(path) = field.get_mut("path") {
            put(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn planned(changes: &Json) -> Result<DatasetPlan, String> {
        let mut entry = json!({
            "type": "opencompass.datasets.CustomDataset", "abbr": "sums", "path": "org/sums",
            "reader_cfg": {"input_columns": "question", "output_column": "answer"},
            "infer_cfg": {
                "prompt_template": {"type": "PromptTemplate", "template": "{question}"},
                "retriever": {"type": "ZeroRetriever"},
                "inferencer": {"type": "GenInferencer", "max_out_len": 4},
            },
            "eval_cfg": {"evaluator": {"type": "AccEvaluator"}},
        });
        for (field, value) in changes.as_object().unwrap() {
            match (value, entry.get_mut(field)) {
                (Json::Object(inner), Some(Json::Object(own))) => own.extend(inner.clone()),
                _ => entry[field] = value.clone(),
            }
        }
        DatasetPlan::from_node(&Node::from_json(&entry), Path::new("config.py"))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn no_field_of_a_data_set_is_passed_over_in_silence() {
        for (changes, expected) in [
            (json!({"n": 0}), "n: int 0 is no number of answers"),
            (json!({"k": [1, "2"]}), "k: str '2' is no number of answers"),
            (json!({"type": "opencompass.datasets.MMLUDatasets"}), "did you mean 'MMLUDataset'?"),
            (json!({"type": "GSM8KDataset", "lang": "de"}), "unknown field 'lang'"),
            (json!({"type": "MMLUDataset"}), "the data set has no name"),
            (json!({"subset": "main"}), "unknown field 'subset'"),
            (json!({"lang": "de"}), "unknown field 'lang'"),
            (json!({"with_circular": true}), "unknown field 'with_circular'"),
            (json!({"eval_cgf": {}}), "unknown field 'eval_cgf' (did you mean 'eval_cfg'?)"),
            (json!({"file_name": "gone.jsonl"}), "no file or folder \"org/sums/gone.jsonl\""),
            (json!({"path": "Cargo.toml", "name": "x"}), "name: it chooses among several files"),
            (json!({"path": "Cargo.toml", "split": "x"}), "split: it chooses among several files"),
            (json!({"path": "src", "revision": "v1"}), "revision: it chooses a revision"),
            (
                json!({"path": "json", "data_files": "Cargo.toml", "data_dir": "src"}),
                "data_dir: it belongs to a folder",
            ),
            (json!({"reader_cfg": {"input_template": "{x}"}}), "reader_cfg.input_template: str"),
            (json!({"eval_cfg": {"pred_postprocesor": {}}}), "eval_cfg: unknown field"),
            (json!({"infer_cfg": {"meta_template": {}}}), "infer_cfg: unknown field"),
        ] {
            let error = planned(&changes).err().unwrap_or_else(|| panic!("{changes} is accepted"));
            assert!(error.contains(expected), "{changes}: {error}");
        }
        let inferencer = json!({"type": "GenInferencer", "batch_size": 2, "max_seq_len": 9});
        for (changes, expected) in [
            (json!({"trust_remote_code": true}), "trust_remote_code ("),
            (json!({"local_mode": true, "num_proc": 2}), "local_mode (a path"),
            (json!({"eval_cfg": {"num_gpus": 1}}), "eval_cfg.num_gpus ("),
            (json!({"eval_cfg": {"model_postprocessor": {}}}), "eval_cfg.model_postprocessor ("),
            (json!({"infer_cfg": {"inferencer": inferencer}}), "inferencer.batch_size ("),
            (json!({"type": "HFDataset", "data_files": "x.csv"}), "007 stays 007"),
        ] {
            let notes = planned(&changes).map(|plan| plan.notes).unwrap();
            assert!(notes.len() == 1 && notes[0].contains(expected), "{changes}: {notes:?}");
        }
        for changes in [
            json!({"n": 4, "k": [1, 2]}),
            json!({"k": [1], "name": "main", "split": "test", "revision": "v1"}),
            json!({"type": "HFDataset", "data_dir": "x", "data_files": "y.jsonl"}),
            json!({"type": null, "path": "src", "file_name": "main.rs"}),
            json!({"eval_cfg": {"pred_role": "BOT", "dump_details": null}}),
            json!({"reader_cfg": {"output_template": "{x}"}}),
        ] {
            assert_eq!(planned(&changes).map(|plan| plan.notes), Ok(vec![]), "{changes}");
        }
    }

    #[test]
    fn an_inferencer_is_read_once_and_filled_for_each_model() {
        let inferencer = |config: Json| {
            let changes = json!({"infer_cfg": {"inferencer": config}});
            planned(&changes).map(|plan| plan.inferencer)
        };
        let own = inferencer(json!({"type": "GenInferencer", "max_out_len": 4})).unwrap();
        let open = inferencer(json!({"type": "GenInferencer", "gen_field_replace_token": "?"}));
        let (open, defaults) = (open.unwrap(), |tokens| crate::infer::ModelDefaults {
            max_out_len: Some(tokens),
            ..Default::default()
        });
        for tokens in [7, 8] {
            assert_eq!(own.with_defaults(defaults(tokens)).max_new_tokens(), 4);
            let filled = open.with_defaults(defaults(tokens));
            assert_eq!((filled.max_new_tokens(), filled.mask()), (tokens, Some("?")));
        }
    }
}
