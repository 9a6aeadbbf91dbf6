//! Which files of a repository make up a checkpoint.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{Hub, HubError, HubName, RepositoryKind, Snapshot};
use crate::regular_file::{self, MOST_SETTINGS_BYTES};

/// How much of a checkpoint is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointPart {
    /// Everything.
    Whole,
    /// What conversations need: settings, tokenizer and chat templates.
    WithoutWeights,
    /// Everything of a sentence encoder, its modules in folders of their own included.
    Encoder,
}

const CONFIG: &str = "config.json";
const ADAPTER_CONFIG: &str = "adapter_config.json";
const ADAPTER_WEIGHTS: &str = "adapter_model.safetensors";
const WEIGHTS: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";
const MODULES: &str = "modules.json";

/// Files beside the weights, as far as a repository has them.
const SETTINGS: &[&str] = &[
    ADAPTER_CONFIG,
    "added_tokens.json",
    "chat_template.jinja",
    "chat_template.json",
    CONFIG,
    "generation_config.json",
    "merges.txt",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer_config.json",
    "vocab.json",
];

/// Folders of chat templates.
const TEMPLATE_FOLDERS: &[&str] = &["additional_chat_templates/", "chat_templates/"];

/// Any of these makes text into ids.
const TOKENIZERS: &[&str] = &["tokenizer.json", "tokenizer.model", "vocab.json"];

impl Hub<'_> {
    /// The files of a checkpoint that are not in the cache, with their lengths as far as the hub tells them. The index
    /// of weights in several files, which names them, is fetched for that.
    pub fn missing_files(&self, name: &HubName) -> Result<Vec<(String, Option<u64>)>, HubError> {
        let repository = self.repository(RepositoryKind::Model, name);
        let cached = repository.cached();
        if cached.is_some_and(|cached| missing(&cached, name, CheckpointPart::Whole).is_none()) {
            return Ok(Vec::new());
        }
        let listed = repository.listed("a list of its files")?;
        let files = if let Some(file) = &name.file {
            vec![file.clone()]
        } else {
            let settings = listed.files.iter().filter(|file| is_setting(file)).cloned();
            settings.chain(weights(&listed, name)?).collect()
        };
        let folder = listed.folder();
        let is_missing = |file: &String| !folder.join(file).is_file();
        let with_length = |file: String| {
            let bytes = listed.promised_bytes(&file);
            (file, bytes)
        };
        Ok(files.into_iter().filter(is_missing).map(with_length).collect())
    }

    /// The folder of a checkpoint in the cache, or the file that the name asks for. What is not there
    /// yet is fetched.
    pub fn checkpoint(&self, name: &HubName, part: CheckpointPart) -> Result<PathBuf, HubError> {
        let repository = self.repository(RepositoryKind::Model, name);
        let missing = match repository.cached() {
            None => name.file.as_deref().unwrap_or(CONFIG).to_owned(),
            Some(cached) => match missing(&cached, name, part) {
                None => return Ok(place(&cached, name)),
                Some(missing) => missing,
            },
        };
        let listed = repository.listed(&missing)?;
        if let Some(file) = &name.file {
            listed.fetch(file)?;
        } else {
            // Weights come last, so that what has them has everything.
            listed.fetch_all(
                listed.files.iter().map(String::as_str).filter(|file| is_setting(file)),
            )?;
            match part {
                CheckpointPart::Whole => {
                    listed.fetch_all(weights(&listed, name)?.iter().map(String::as_str))?;
                }
                CheckpointPart::WithoutWeights => {}
                CheckpointPart::Encoder => {
                    let of_modules = || listed.files.iter().map(String::as_str);
                    listed.fetch_all(of_modules().filter(|file| is_module_setting(file)))?;
                    listed.fetch_all(of_modules().filter(|file| is_module_weights(file)))?;
                    // The transformer lies at the root, or in the folder of the first module.
                    if listed.has(CONFIG) {
                        listed.fetch_all(weights(&listed, name)?.iter().map(String::as_str))?;
                    }
                }
            }
        }
        listed.keep()?;
        Ok(place(&listed, name))
    }
}

fn place(snapshot: &Snapshot<'_>, name: &HubName) -> PathBuf {
    let folder = snapshot.folder();
    name.file.as_ref().map_or_else(|| folder.clone(), |file| folder.join(file))
}

fn is_setting(file: &str) -> bool {
    SETTINGS.contains(&file)
        || TEMPLATE_FOLDERS.iter().any(|folder| file.starts_with(folder))
            && Path::new(file).extension().is_some_and(|ending| ending == "jinja")
}

/// What says of a sentence encoder which modules it has and what they do.
fn is_module_setting(file: &str) -> bool {
    let is_named = |name: &str| {
        name == MODULES
            || name == "config_sentence_transformers.json"
            || name.starts_with("sentence_") && name.ends_with("_config.json")
    };
    is_named(file)
        || file.split_once('/').is_some_and(|(folder, name)| {
            is_module_folder(folder) && (is_setting(name) || is_named(name))
        })
}

fn is_module_weights(file: &str) -> bool {
    file.split_once('/').is_some_and(|(folder, name)| is_module_folder(folder) && name == WEIGHTS)
}

/// Whether a folder is one of `1_Pooling`, `2_Dense` and the like.
fn is_module_folder(folder: &str) -> bool {
    let number = folder.split_once('_').map(|(number, _)| number);
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The first file of a sentence encoder that what is in the cache lacks. Whether a repository without modules has none
/// cannot be told from the cache.
fn missing_of_encoder(cached: &Snapshot<'_>) -> Option<String> {
    if !cached.has(MODULES) {
        return Some(MODULES.to_owned());
    }
    let text = regular_file::read(&cached.folder().join(MODULES), MOST_SETTINGS_BYTES);
    let modules: Value = serde_json::from_slice(&text.unwrap_or_default()).unwrap_or_default();
    for module in modules.as_array().into_iter().flatten() {
        let of = |field: &str| module.get(field).and_then(Value::as_str).unwrap_or_default();
        let place = |file: &str| match of("path") {
            "" => file.to_owned(),
            folder => format!("{folder}/{file}"),
        };
        let needed: &[&str] = match of("type").rsplit('.').next() {
            Some("Transformer") => &[CONFIG, "tokenizer.json"],
            Some("Pooling") => &[CONFIG],
            Some("Dense") => &[CONFIG, WEIGHTS],
            _ => &[],
        };
        if let Some(file) = needed.iter().map(|file| place(file)).find(|file| !cached.has(file)) {
            return Some(file);
        }
        if needed.len() == 2 && needed.contains(&CONFIG) && !cached.has(&place(WEIGHTS)) {
            let index = place(INDEX);
            if !cached.has(&index) {
                return Some(place(WEIGHTS));
            }
            let lacks = |shard: &String| !cached.has(shard);
            let all = shards(&cached.folder().join(index)).into_iter().map(|shard| place(&shard));
            if let Some(shard) = all.collect::<Vec<_>>().into_iter().find(lacks) {
                return Some(shard);
            }
        }
    }
    None
}

/// The first file that what is in the cache lacks.
fn missing(cached: &Snapshot<'_>, name: &HubName, part: CheckpointPart) -> Option<String> {
    if let Some(file) = &name.file {
        return (!cached.has(file)).then(|| file.clone());
    }
    if part == CheckpointPart::WithoutWeights {
        let known = ["tokenizer_config.json", "chat_template.jinja"];
        let is_there = known.iter().chain(TOKENIZERS).any(|file| cached.has(file));
        return (!is_there).then(|| "tokenizer_config.json".to_owned());
    }
    if part == CheckpointPart::Encoder {
        return missing_of_encoder(cached);
    }
    if cached.has(ADAPTER_CONFIG) && !cached.has(CONFIG) {
        return (!cached.has(ADAPTER_WEIGHTS)).then(|| ADAPTER_WEIGHTS.to_owned());
    }
    if !cached.has(CONFIG) {
        return Some(CONFIG.to_owned());
    }
    if !TOKENIZERS.iter().any(|file| cached.has(file)) {
        return Some("tokenizer.json".to_owned());
    }
    if cached.has(WEIGHTS) {
        return None;
    }
    if !cached.has(INDEX) {
        return Some(WEIGHTS.to_owned());
    }
    shards(&cached.folder().join(INDEX)).into_iter().find(|shard| !cached.has(shard))
}

/// The weight files of a repository, in the order in which a checkpoint looks for them.
fn weights(listed: &Snapshot<'_>, name: &HubName) -> Result<Vec<String>, HubError> {
    let mut files = Vec::new();
    if listed.has(WEIGHTS) {
        files.push(WEIGHTS.to_owned());
    } else if listed.has(INDEX) {
        files.extend(shards(&listed.fetch(INDEX)?));
    }
    if listed.has(ADAPTER_WEIGHTS) {
        files.push(ADAPTER_WEIGHTS.to_owned());
    }
    if files.is_empty() {
        let repository = name.repository.clone();
        return Err(HubError::NoWeights { hint: hint(&listed.files, name), name: repository });
    }
    Ok(files)
}

/// The shards that an index names. Of an index that makes no sense, opening the checkpoint says so.
fn shards(index: &Path) -> BTreeSet<String> {
    let text = regular_file::read(index, MOST_SETTINGS_BYTES).unwrap_or_default();
    let index: Value = serde_json::from_slice(&text).unwrap_or_default();
    let map = index.get("weight_map").and_then(Value::as_object);
    let shards = map.into_iter().flat_map(serde_json::Map::values).filter_map(Value::as_str);
    shards
        .filter(|shard| super::is_plain(shard) && !shard.contains('/'))
        .map(str::to_owned)
        .collect()
}

/// What to do with a repository without safetensors.
fn hint(files: &[String], name: &HubName) -> String {
    let ends = |ending: &str| files.iter().find(|file| file.ends_with(ending));
    if let Some(gguf) = ends(".gguf") {
        let asked = HubName { file: Some(gguf.clone()), ..name.clone() };
        return format!("; it has GGUF files: name one, such as {asked}");
    }
    if let Some(pickle) = ends(".bin").or_else(|| ends(".pt")).or_else(|| ends(".pth")) {
        return format!(
            ", only pickles such as {pickle}, which are not read because they can run code; convert it with \
             transformers' `save_pretrained`"
        );
    }
    String::new()
}
