//! A file of one's own as an entry of `datasets`, without a config.
//!
//! `dict(path='questions.jsonl')` is an entry too: the columns of the first row tell what is asked. Options in columns `A`, `B`, … make
//! questions with options (`mcq`), anything else free questions (`qa`); the gold is the column `answer`. A file `questions.jsonl.meta.json`
//! beside it may say otherwise, and the entry, or the command line, has the last word. Names and defaults are those of OpenCompass's custom
//! data sets, so that an entry means the same there; `choices` and `examples` are additions. What comes out is an ordinary
//! entry that can be printed and kept as a config, and a sentence about what was taken for granted.

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::{custom_prompts::CustomPrompts, custom_remarks};
use crate::{
    config::{ConfigError, Node, Origin, Value, WITHOUT_CONFIG, from_node, locate},
    dataset::{ColumnRule, FileTable, Sample, read_table},
    regular_file,
};

/// What a file of questions is, as far as somebody says it; the rest is read off its first row.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomDataset {
    /// The file.
    pub path: PathBuf,
    /// What is said of it in a file of JSON; by default `path` with `.meta.json` behind it, if there is one.
    pub meta_path: Option<PathBuf>,
    /// Its name in tables.
    pub abbr: Option<String>,
    /// `mcq`, `circular-mcq` or `qa`.
    pub data_type: Option<DataType>,
    /// `gen` or `ppl`.
    pub infer_method: Option<InferMethod>,
    /// The columns that make up the question.
    pub input_columns: Option<Vec<String>>,
    /// The column of the gold.
    pub output_column: Option<String>,
    /// The labels of the options, or the one column that lists the options of each row.
    pub options: Option<Vec<String>>,
    /// The user's turn.
    pub human_prompt: Option<String>,
    /// The answer's turn.
    pub bot_prompt: Option<String>,
    /// A whole template instead of both: a text with `{columns}`, or what a `PromptTemplate` takes.
    pub template: Option<Node>,
    /// Another evaluator.
    pub evaluator: Option<Node>,
    /// Its parameters.
    pub evaluator_kwargs: Option<Node>,
    /// Which rows are asked about.
    pub test_range: Option<Node>,
    /// How many examples stand before each question.
    pub shots: Option<usize>,
    /// The file that they come from.
    pub examples: Option<PathBuf>,
}

/// What kind of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataType {
    /// With options.
    Mcq,
    /// With options, each question asked with them in every turn.
    CircularMcq,
    /// Free ones.
    Qa,
}

/// How they are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InferMethod {
    /// In the model's own words.
    Gen,
    /// By the surprisal of each option.
    Ppl,
}

/// Whether an entry says no more than where its rows are and what they are.
pub(super) fn is_custom(entry: &Node) -> bool {
    let has = |field: &str| entry.get(field).is_some_and(|value| !value.is_none());
    has("path") && !["type", "infer_cfg", "reader_cfg"].into_iter().any(has)
}

/// The entry of a file on the command line; `typed` is a dict of what was typed about it.
fn of_file(path: &Path, typed: &Node) -> Node {
    let origin = Origin { file: path.into(), line: 0 };
    let text = Value::Str(path.display().to_string());
    let mut entry = typed.clone().written_at(&origin);
    entry.set("path", Node::new(text, origin));
    entry
}

/// The whole entry that a file stands for, with what was taken for granted; `typed` is a dict of what was typed about it.
pub fn entry_of_file(path: &Path, typed: &Node) -> Result<(Node, String), ConfigError> {
    filled(&of_file(path, typed), Path::new(WITHOUT_CONFIG))
}

/// The whole entry that such an entry stands for, with what was taken for granted. `config` is the file it stands in.
pub(super) fn filled(entry: &Node, config: &Path) -> Result<(Node, String), ConfigError> {
    let own: CustomDataset = from_node(entry)?;
    let path = locate(&own.path, config).unwrap_or_else(|| own.path.clone());
    let merged = with_meta(entry, &own, &path)?;
    CustomDataset { path, ..from_node(&merged)? }.entry(&entry.origin)
}

/// The entry, and below it what its file of facts says.
fn with_meta(entry: &Node, own: &CustomDataset, path: &Path) -> Result<Node, ConfigError> {
    let beside = PathBuf::from(format!("{}.meta.json", path.display()));
    let meta_path = own.meta_path.clone().unwrap_or(beside);
    let origin = Origin { file: meta_path.clone().into(), line: 0 };
    let wrong = |what: String| {
        ConfigError::at(&origin, what)
            .with_hint("it must be a JSON object with fields such as data_type and output_column")
    };
    let bytes = regular_file::read(&meta_path, regular_file::MOST_SETTINGS_BYTES);
    let bytes = match bytes {
        Err(error) if own.meta_path.is_none() && error.kind() == io::ErrorKind::NotFound => {
            return Ok(entry.clone());
        }
        bytes => bytes.map_err(|error| wrong(error.to_string()))?,
    };
    let meta: Map<String, Json> =
        serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    let mut merged = entry.clone();
    for (name, value) in meta {
        if merged.get(&name).is_none_or(Node::is_none) {
            merged.set(&name, Node::from_json(&value).written_at(&origin));
        }
    }
    Ok(merged)
}

impl CustomDataset {
    /// The entry, with what was taken for granted; `origin` is where the file was named.
    pub(super) fn entry(&self, origin: &Origin) -> Result<(Node, String), ConfigError> {
        let is_named = *origin.file == *self.path;
        let at = |what: String| {
            let what = if is_named { what } else { format!("{}: {what}", self.path.display()) };
            ConfigError::at(origin, what)
        };
        let FileTable { rows, late_columns } = read_table(&self.path, ColumnRule::Library)
            .map_err(|error| {
                let what = error.to_string();
                // It names the file.
                if is_named { ConfigError::told(what) } else { ConfigError::at(origin, what) }
            })?;
        let first = rows.first().ok_or_else(|| at("it has no rows".to_owned()))?;
        let columns: Vec<String> = first.iter().map(|(name, _)| name.to_owned()).collect();
        let there = || columns.join(", ");
        let gold = match &self.output_column {
            Some(gold) if first.get(gold).is_none() => {
                return Err(at(format!("there is no column {gold:?}, only {}", there())));
            }
            Some(gold) => Some(gold.clone()),
            None => columns.iter().find(|name| *name == "answer").cloned(),
        };
        let lettered: Vec<String> =
            ('A'..='Z').map(String::from).take_while(|name| first.get(name).is_some()).collect();
        let options = self.options.clone().unwrap_or(lettered);
        let listed = listed_column(&options, first);
        let data_type = self.data_type.unwrap_or(match options.len() {
            0 | 1 if listed.is_none() => DataType::Qa,
            _ => DataType::Mcq,
        });
        // Labels that are no letters cannot be picked out of free words.
        let is_named =
            self.options.is_some() && options.iter().any(|label| label.chars().count() != 1);
        let default =
            if is_named || listed.is_some() { InferMethod::Ppl } else { InferMethod::Gen };
        let method = self.infer_method.unwrap_or(default);
        if data_type == DataType::Qa && method == InferMethod::Ppl {
            return Err(at("ppl compares options, and free questions have none".to_owned())
                .with_hint(format!(
                    "name them, as in --choices A,B,C,D or --choices yes,no, or the column that lists them; the columns \
                     are {}",
                    quoted(&columns)
                )));
        }
        if listed.is_some() && method == InferMethod::Gen {
            return Err(at("options in a list are compared by ppl".to_owned())
                .with_hint("leave the method out, or give each option a column: A, B, C, …"));
        }
        if data_type != DataType::Qa && gold.is_none() {
            return Err(at(format!("which column is the gold? There are {}", there()))
                .with_hint("name it, as in --gold label"));
        }
        let is_circular = data_type == DataType::CircularMcq;
        if let Some(late) = options.iter().find(|name| is_circular && late_columns.contains(name)) {
            return Err(at(format!("the first row lacks the option {late}"))
                .with_hint("options can be turned round where every row has all of them"));
        }
        let inputs = self.input_columns.clone().unwrap_or_else(|| {
            columns.iter().filter(|name| Some(*name) != gold.as_ref()).cloned().collect()
        });
        let prompts = CustomPrompts {
            data: self,
            first,
            rows: &rows,
            gold: gold.as_deref(),
            options: &options,
            listed: listed.as_deref(),
            data_type,
            method,
        };
        let infer_cfg = prompts.infer_cfg().map_err(at)?;
        let mut reader_cfg = json!({"input_columns": inputs, "output_column": gold});
        if let Some(range) = &self.test_range {
            reader_cfg["test_range"] = range.to_json();
        }
        let place = self.place(data_type, &options, gold.as_deref(), !late_columns.is_empty());
        if place.contains_key("data_files") && self.examples.is_none() {
            // The one split that the library makes of a file.
            reader_cfg["test_split"] = json!("train");
        }
        let mut entry = Node::from_json(&Json::Object(place));
        entry.set("reader_cfg", Node::from_json(&reader_cfg));
        entry.set("infer_cfg", Node::from_json(&infer_cfg));
        if gold.is_some() {
            let lettered = options
                .iter()
                .all(|label| label.chars().count() == 1 && first.get(label).is_some());
            let eval_cfg = self.eval_cfg(data_type, method, lettered.then_some(&options));
            entry.set("eval_cfg", Node::from_json(&eval_cfg));
        }
        let mut assumed = prompts.assumed();
        if self.options.is_none() && data_type != DataType::Qa {
            assumed.extend(custom_remarks::left_out(&options, &rows));
        }
        if listed.is_none() && data_type == DataType::Mcq {
            assumed.extend(custom_remarks::lacking(&options, &rows));
            assumed.extend(custom_remarks::equal(&options, &rows));
        }
        assumed.extend(custom_remarks::unseen(first));
        if !late_columns.is_empty() {
            let become_of = if is_circular && self.examples.is_none() {
                "which is dropped, as OpenCompass's class drops what that row lacks"
            } else {
                "and rows that lack a column have null there, as Hugging Face reads it"
            };
            let late = late_columns.join(", ");
            assumed.extend(["; the first row lacks ", &late, ", ", become_of]);
        }
        Ok((entry.written_at(origin), assumed))
    }

    /// What says where the rows are.
    fn place(
        &self,
        data_type: DataType,
        options: &[String],
        gold: Option<&str>,
        has_late_columns: bool,
    ) -> Map<String, Json> {
        let file_name = self.path.file_name().map(|name| name.to_string_lossy().into_owned());
        let abbr = self.abbr.clone().or_else(|| Some(file_name?.split('.').next()?.to_owned()));
        let path = self.path.display().to_string();
        let ending = |path: &str| {
            path.trim_end_matches(".gz").rsplit('.').next().unwrap_or_default().to_owned()
        };
        let mut fields = Map::new();
        fields.insert("abbr".to_owned(), json!(abbr.unwrap_or_else(|| "custom".to_owned())));
        match (&self.examples, data_type) {
            (Some(examples), _) => {
                let format = ending(&path).replace("jsonl", "json");
                fields.insert("path".to_owned(), json!(format));
                let examples = examples.display().to_string();
                fields.insert("data_files".to_owned(), json!({"train": examples, "test": path}));
            }
            (None, DataType::CircularMcq) => {
                fields.insert(
                    "type".to_owned(),
                    json!("opencompass.datasets.custom.CircularCustomDataset"),
                );
                fields.insert("option_keys".to_owned(), json!(options));
                fields.insert("answer_key".to_owned(), json!(gold));
                fields.insert("path".to_owned(), json!(path));
            }
            (None, _) if has_late_columns && ending(&path) == "jsonl" => {
                // OpenCompass's class would drop the columns that the first row lacks.
                fields.insert("type".to_owned(), json!("opencompass.datasets.HFDataset"));
                fields.insert("path".to_owned(), json!("json"));
                fields.insert("data_files".to_owned(), json!(path));
            }
            (None, _) => {
                // OpenCompass's class knows two formats.
                if ["jsonl", "csv"].contains(&&*ending(&path)) {
                    fields.insert(
                        "type".to_owned(),
                        json!("opencompass.datasets.custom.CustomDataset"),
                    );
                }
                fields.insert("path".to_owned(), json!(path));
            }
        }
        fields
    }

    fn eval_cfg(
        &self,
        data_type: DataType,
        method: InferMethod,
        letters: Option<&Vec<String>>,
    ) -> Json {
        let letters = json!(letters);
        let (class, parameters) = match (data_type, method) {
            (DataType::Mcq, InferMethod::Gen) if !letters.is_null() => {
                ("opencompass.datasets.custom.OptionSimAccEvaluator", json!({"options": letters}))
            }
            (DataType::CircularMcq, InferMethod::Gen) => (
                "opencompass.datasets.custom.CircularOptionSimAccEvaluator",
                json!({"options": letters}),
            ),
            (DataType::CircularMcq, InferMethod::Ppl) => {
                ("opencompass.datasets.circular.CircularEvaluator", json!({}))
            }
            _ => ("opencompass.openicl.icl_evaluator.icl_hf_evaluator.AccEvaluator", json!({})),
        };
        let mut evaluator = self.evaluator_kwargs.as_ref().map_or(parameters, Node::to_json);
        evaluator["type"] = self.evaluator.as_ref().map_or(json!(class), Node::to_json);
        match method {
            InferMethod::Gen => json!({"evaluator": evaluator, "pred_role": "BOT"}),
            InferMethod::Ppl => json!({"evaluator": evaluator}),
        }
    }
}

/// Names in quotes, in which a blank at their edge shows.
fn quoted(columns: &[String]) -> String {
    columns.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

/// The column that lists the options, if that is what is named.
fn listed_column(options: &[String], first: &Sample) -> Option<String> {
    match options {
        [only] => first.get(only).filter(|value| value.is_array()).map(|_| only.clone()),
        _ => None,
    }
}
