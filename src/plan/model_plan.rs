//! One entry of `models`, understood.

use std::path::{Path, PathBuf};

use super::{
    ChatSettings, PlanError, ReasoningPlan, RepeatsPlan, SERVED_CLASSES, ServedClass,
    chat_settings,
    model_classes::{MODEL_CLASSES, PromptForm},
    model_entry::ModelEntry,
    run_plan::{TEXT_CLASS, model_of_folder},
    served_entry::{self, ServedPlan},
    unread_fields::{Place, settle, settle_all},
};
use crate::{
    answer::served::ServedSettings,
    config::{Component, ConfigError, Node, from_node, locate, shipped_place},
    hub::DownloadProgress,
    infer::ModelDefaults,
    model::{Checkpoint, ModelError},
    postprocess::{self, Postprocessor},
    prompt::Markup,
};

/// A model to be evaluated.
pub struct ModelPlan {
    /// Its name in tables and folders.
    pub abbr: String,
    /// The folder of the checkpoint, or its name on the hub.
    pub path: PathBuf,
    /// The adapter that changes it, found in the same way.
    pub adapter: Option<PathBuf>,
    /// How it is given a dialogue.
    pub markup: Markup,
    /// How its chat template is used, if it is given messages.
    pub chat: ChatSettings,
    /// Most tokens of prompt and continuation; `None` means the checkpoint's context.
    pub max_seq_len_tokens: Option<usize>,
    /// What inferencers fall back to.
    pub defaults: ModelDefaults,
    /// How often it is asked where a data set does not say it.
    pub repeats: RepeatsPlan,
    /// How its thinking is told from its answers.
    pub reasoning: ReasoningPlan,
    /// Whether a prompt that is too long loses its beginning instead of its end.
    pub truncate_left: Option<bool>,
    /// Texts that end every generation.
    pub stop_words: Vec<String>,
    /// Ids that end every generation, beside the checkpoint's own.
    pub eos_token_ids: Vec<u32>,
    /// Applied to every prediction before the data set's own.
    pub postprocessor: Option<Box<dyn Postprocessor>>,
    /// What was understood but changes nothing, and the like.
    pub notes: Vec<String>,
    /// Where it is, if it is behind a server.
    pub served: Option<ServedSettings>,
    /// The entry, for fingerprints.
    pub node: Node,
}

impl ModelPlan {
    /// The name of an entry, which may be left to its class and path.
    pub(super) fn name(node: &Node) -> String {
        let text = |field: &str| node.get(field).and_then(Node::as_str);
        let class = node.get("type").and_then(|kind| Component::parse(kind).ok());
        match text("abbr") {
            Some(abbr) => abbr.to_owned(),
            None => default_abbr(
                class.as_ref().map_or("", |class| &class.type_name),
                text("path").unwrap_or_default(),
            ),
        }
    }

    /// A checkpoint that a command line names: a folder, a GGUF file, or a name on the hub.
    pub fn of_path(path: &Path) -> Result<Self, PlanError> {
        Self::of_class(TEXT_CLASS, path)
    }

    /// The same of a class of models, which says whether it is given text or messages.
    pub(super) fn of_class(class: &str, path: &Path) -> Result<Self, PlanError> {
        Self::from_node(&model_of_folder(class, path), Path::new("."))
    }

    /// Understands an entry; `config` is the file it stands in.
    pub fn from_node(node: &Node, config: &Path) -> Result<Self, PlanError> {
        if let Some(kind) = node.get("type") {
            let class = Component::parse(kind)?;
            if let Some(found) = SERVED_CLASSES.find(&class.path) {
                return Self::behind_server(node, &class.type_name, found.value);
            }
        }
        let (chat, note) = ChatSettings::from_node(node, config)?;
        let mut fields = node.clone();
        for field in chat_settings::FIELDS {
            fields.remove(field);
        }
        let repeats = RepeatsPlan::take(&mut fields)?;
        let reasoning = ReasoningPlan::take(&mut fields)?;
        let mut notes = settle(Place::Model, &mut fields)?;
        let entry: ModelEntry = from_node(&fields)?;
        let class = Component::parse(&entry.r#type)?;
        let prompts = *MODEL_CLASSES.get(&class)?;
        let class = class.type_name;
        for (place, field, kwargs) in [
            (Place::ModelKwargs, "model_kwargs", &entry.model_kwargs),
            (Place::GenConfig, "gen_config", &entry.gen_config),
        ] {
            let settled = settle_all(place, kwargs.as_ref()).map_err(|error| error.under(field))?;
            notes.extend(settled);
        }
        notes.extend(note);
        let unread = chat_settings::FIELDS.iter().find(|field| node.get(field).is_some());
        if let (Some(field), false) = (unread, prompts == PromptForm::Messages) {
            notes.push(format!(
                "{class} is not given messages, so {field} is ignored; use HuggingFacewithChatTemplate"
            ));
        }
        if entry.max_seq_len == Some(0) {
            return Err(ConfigError::at(&node.origin, "max_seq_len is 0: no prompt fits").into());
        }
        if entry.tokenizer_path.as_ref().is_some_and(|path| *path != entry.path) {
            let note = "tokenizer_path is ignored: the tokenizer beside the weights is used";
            notes.push(note.to_owned());
        }
        let mut eos_token_ids = Vec::new();
        let markup = entry.markup(prompts, &class, &mut eos_token_ids, &mut notes)?;
        let defaults = entry.defaults(&mut eos_token_ids, &mut notes)?;
        let mut find = |written: &str| {
            if let Some(place) = locate(Path::new(written), config) {
                return Ok(place);
            }
            let shipped =
                shipped_place(written).map_err(|why| ConfigError::at(&node.origin, why))?;
            let Some((place, note)) = shipped else { return Ok(PathBuf::from(written)) };
            notes.push(note);
            Ok::<_, ConfigError>(place)
        };
        let path = find(&entry.path)?;
        let adapter = entry.peft_path.as_deref().map(find).transpose()?;
        let stop_words = entry.stop_words.iter().flatten().chain(&entry.end_str);
        Ok(Self {
            truncate_left: entry.truncate_left(&mut notes)?,
            stop_words: stop_words.filter(|stop| !stop.is_empty()).cloned().collect(),
            postprocessor: entry.pred_postprocessor.as_ref().map(postprocess::build).transpose()?,
            abbr: entry.abbr.unwrap_or_else(|| default_abbr(&class, &entry.path)),
            path,
            adapter,
            markup,
            chat,
            max_seq_len_tokens: entry.max_seq_len,
            defaults,
            repeats,
            reasoning,
            eos_token_ids,
            notes,
            served: None,
            node: node.clone(),
        })
    }

    /// A model of a class that is behind a server.
    fn behind_server(node: &Node, class: &str, found: ServedClass) -> Result<Self, PlanError> {
        let own = ServedPlan::from_node(node, found)?;
        let postprocessor = own.pred_postprocessor.as_ref().map(postprocess::build).transpose()?;
        Ok(Self {
            abbr: own.abbr.unwrap_or_else(|| served_entry::abbr(class, &own.settings)),
            path: own.name.into(),
            adapter: None,
            markup: own.markup,
            chat: ChatSettings::default(),
            max_seq_len_tokens: own.max_seq_len_tokens,
            defaults: own.defaults,
            repeats: own.repeats,
            reasoning: own.reasoning,
            truncate_left: None,
            stop_words: own.stop_words,
            eos_token_ids: Vec::new(),
            postprocessor,
            notes: own.notes,
            served: Some(own.settings),
            node: node.clone(),
        })
    }

    /// Opens its checkpoint, changed by its adapter.
    pub(crate) fn open(&self, progress: &dyn DownloadProgress) -> Result<Checkpoint, ModelError> {
        let path = self.path.to_string_lossy();
        if self.served.is_some() {
            return Err(ModelError::Served { name: path.into_owned() });
        }
        match &self.adapter {
            None => Checkpoint::open(&path, progress),
            Some(adapter) => {
                Checkpoint::open_with_adapter(&path, &adapter.to_string_lossy(), progress)
            }
        }
    }
}

/// OpenCompass's name for a model without `abbr`: the class and the last two parts of its path.
fn default_abbr(class: &str, path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let tail = parts[parts.len().saturating_sub(2)..].join("_");
    format!("{class}_{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_an_entry_leaves_out_is_filled_and_what_is_idle_is_told() {
        let node = Node::from_json(&json!({
            "type": "opencompass.models.HuggingFaceCausalLM", "path": "a/b/c", "tokenizer_kwargs": null,
            "generation_kwargs": {"max_new_tokens": 5, "do_sample": true, "top_p": 0.9, "eos_token_id": [1, 2]},
            "run_cfg": {"num_gpus": 1},
        }));
        let plan = ModelPlan::from_node(&node, Path::new("config.py")).unwrap();
        assert_eq!(plan.abbr, "HuggingFaceCausalLM_b_c");
        assert_eq!(plan.defaults.max_out_len, Some(5));
        assert_eq!(plan.eos_token_ids, [1, 2]);
        assert!(plan.notes[0].contains("run_cfg (") && plan.notes[1].contains("drawn"));
        let sampling = plan.defaults.sampling.unwrap();
        assert_eq!((sampling.top_k, sampling.top_p, sampling.seed), (Some(50), Some(0.9), 0));
    }

    #[test]
    fn no_field_of_a_model_is_passed_over_in_silence() {
        let planned = |field: &str, value: serde_json::Value| {
            let mut entry = json!({"type": "HuggingFaceCausalLM", "path": "m"});
            entry[field] = value;
            ModelPlan::from_node(&Node::from_json(&entry), Path::new("config.py"))
                .map(|plan| plan.notes)
                .map_err(|error| error.to_string())
        };
        for (field, value, expected) in [
            ("max_out_lne", json!(3), "unknown field 'max_out_lne' (did you mean 'max_out_len'?)"),
            ("mode", json!("mid"), "mode: str 'mid' cannot be honoured"),
            ("use_fastchat_template", json!(true), "use_fastchat_template: bool True"),
            ("generation_kwargs", json!({"num_beams": 4}), "generation_kwargs.num_beams: int 4"),
            ("generation_kwargs", json!({"repetition_penalty": 1.1}), "repetition_penalty: float"),
            ("generation_kwargs", json!({"num_return_sequences": 0}), "num_return_sequences is 0"),
            ("generation_kwargs", json!({"num_return_sequences": 2}), "two answers would be equal"),
            ("generation_kwargs", json!({"temprature": 1}), "did you mean 'temperature'?"),
            (
                "tokenizer_kwargs",
                json!({"add_bos_token": false}),
                "tokenizer_kwargs: unknown field",
            ),
            ("model_kwargs", json!({"revision": "v1"}), "write path='org/name@revision'"),
            ("model_kwargs", json!({"load_in_8bit": true}), "model_kwargs.load_in_8bit: bool True"),
            ("gen_config", json!({"do_sample": true}), "gen_config.do_sample: bool True"),
            ("gen_config", json!({"enable_thinking": true}), "gen_config: unknown field"),
        ] {
            let error = planned(field, value).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        for (field, value, expected) in [
            ("batch_size", json!(8), "without effect: batch_size (batches are packed by tokens)"),
            ("model_kwargs", json!({"device_map": "auto"}), "model_kwargs.device_map ("),
            ("model_kwargs", json!({"max_model_len": 1}), "max_model_len is not known"),
            ("tokenizer_kwargs", json!({"use_fast": false}), "tokenizer_kwargs.use_fast ("),
            ("generation_kwargs", json!({"temperature": 0.7}), "need do_sample=True"),
        ] {
            let notes = planned(field, value).unwrap();
            assert!(notes.len() == 1 && notes[0].contains(expected), "{notes:?}");
        }
        for (field, value) in [
            ("mode", json!("none")),
            ("generation_kwargs", json!({"temperature": 0, "num_beams": 1, "top_k": 1})),
            ("gen_config", json!({"do_sample": false})),
        ] {
            assert_eq!(planned(field, value), Ok(vec![]));
        }
    }

    #[test]
    fn chat_classes_are_given_messages_and_base_models_lines() {
        let plan = |class: &str| {
            let meta = json!({"round": [{"role": "HUMAN", "api_role": "HUMAN"}]});
            let entry = json!({"type": class, "path": "m", "meta_template": meta});
            ModelPlan::from_node(&Node::from_json(&entry), Path::new("config.py")).unwrap().markup
        };
        assert!(matches!(plan("HuggingFacewithChatTemplate"), Markup::Chat(_)));
        assert!(matches!(plan("HuggingFaceCausalLM"), Markup::Meta(_)));
        assert!(matches!(plan("HuggingFaceBaseModel"), Markup::Lines));
    }
}
