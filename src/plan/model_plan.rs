//! One entry of `models`, understood.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{
    ChatSettings, PlanError, chat_settings, fields,
    model_classes::{MODEL_CLASSES, PromptForm},
};
use crate::{
    config::{Component, ConfigError, Node, Origin, from_node, locate},
    engine::Sampling,
    hub::DownloadProgress,
    infer::ModelDefaults,
    model::{Checkpoint, ModelError},
    postprocess::{self, Postprocessor},
    prompt::{ApiTemplate, Markup, MetaTemplate},
};

/// Fields that are read.
const KNOWN: &[&str] = &[
    "abbr",
    "end_str",
    "generation_kwargs",
    "max_out_len",
    "max_seq_len",
    "meta_template",
    "min_out_len",
    "path",
    "peft_path",
    "pred_postprocessor",
    "stop_words",
    "tokenizer_kwargs",
    "tokenizer_path",
    "type",
    "wrap_text_in_human_role",
];

/// Fields that say how other programs place or batch a model; they have no meaning for this engine,
/// which packs tokens by itself.
const WITHOUT_MEANING: &[&str] = &[
    "batch_padding",
    "batch_size",
    "concurrency",
    "engine_config",
    "extract_pred_after_decode",
    "gen_config",
    "max_workers",
    "model_kwargs",
    "pad_token_id",
    "peft_kwargs",
    "run_cfg",
    "tokenizer_only",
    "use_fastchat_template",
];

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
    /// The entry, for fingerprints.
    pub node: Node,
}

#[derive(Deserialize)]
struct ModelEntry {
    r#type: Node,
    abbr: Option<String>,
    path: String,
    peft_path: Option<String>,
    max_seq_len: Option<usize>,
    max_out_len: Option<usize>,
    min_out_len: Option<usize>,
    meta_template: Option<Node>,
    #[serde(default)]
    wrap_text_in_human_role: bool,
    tokenizer_kwargs: Option<TokenizerKwargs>,
    tokenizer_path: Option<String>,
    stop_words: Option<Vec<String>>,
    end_str: Option<String>,
    generation_kwargs: Option<Node>,
    pred_postprocessor: Option<Component>,
}

#[derive(Deserialize)]
struct TokenizerKwargs {
    truncation_side: Option<String>,
}

#[derive(Deserialize)]
struct GenerationKwargs {
    max_new_tokens: Option<usize>,
    min_new_tokens: Option<usize>,
    eos_token_id: Option<EosTokenId>,
    #[serde(default)]
    do_sample: bool,
    temperature: Option<f64>,
    top_k: Option<usize>,
    top_p: Option<f64>,
    min_p: Option<f64>,
    seed: Option<u64>,
    num_return_sequences: Option<usize>,
}

impl GenerationKwargs {
    /// How tokens are drawn, if they are; what is left out is as in transformers' `GenerationConfig`.
    fn sampling(&self, origin: &Origin) -> Result<Option<Sampling>, ConfigError> {
        let temperature = self.temperature.unwrap_or(1.0);
        let refused = |what: String| Err(ConfigError::at(origin, what).under("generation_kwargs"));
        if !(temperature.is_finite() && temperature >= 0.0) {
            return refused(format!("temperature is {temperature}; give a number from 0 on"));
        }
        for (name, share) in [("top_p", self.top_p), ("min_p", self.min_p)] {
            if let Some(share) = share.filter(|share| !(0.0..=1.0).contains(share)) {
                return refused(format!("{name} is {share}; give a number from 0 to 1"));
            }
        }
        Ok(self.do_sample.then(|| Sampling {
            temperature,
            top_k: Some(self.top_k.unwrap_or(50)),
            top_p: self.top_p,
            min_p: self.min_p,
            seed: self.seed.unwrap_or(0),
        }))
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum EosTokenId {
    One(u32),
    Many(Vec<u32>),
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

    /// Understands an entry; `config` is the file it stands in.
    pub fn from_node(node: &Node, config: &Path) -> Result<Self, PlanError> {
        let entry: ModelEntry = from_node(node)?;
        let class = Component::parse(&entry.r#type)?;
        let prompts = *MODEL_CLASSES.get(&class)?;
        let class = class.type_name;
        let known: Vec<&str> = KNOWN.iter().copied().chain(chat_settings::FIELDS).collect();
        let mut notes = fields::notes(node, &known, WITHOUT_MEANING);
        let (chat, note) = ChatSettings::from_node(node, config)?;
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
        let find = |written: &str| {
            let written = PathBuf::from(written);
            locate(&written, config).unwrap_or(written)
        };
        let stop_words = entry.stop_words.iter().flatten().chain(&entry.end_str);
        Ok(Self {
            truncate_left: entry.truncate_left(&node.origin)?,
            stop_words: stop_words.filter(|stop| !stop.is_empty()).cloned().collect(),
            postprocessor: entry.pred_postprocessor.as_ref().map(postprocess::build).transpose()?,
            abbr: entry.abbr.unwrap_or_else(|| default_abbr(&class, &entry.path)),
            path: find(&entry.path),
            adapter: entry.peft_path.as_deref().map(find),
            markup,
            chat,
            max_seq_len_tokens: entry.max_seq_len,
            defaults,
            eos_token_ids,
            notes,
            node: node.clone(),
        })
    }

    /// Opens its checkpoint, changed by its adapter.
    pub(crate) fn open(&self, progress: &dyn DownloadProgress) -> Result<Checkpoint, ModelError> {
        let path = self.path.to_string_lossy();
        match &self.adapter {
            None => Checkpoint::open(&path, progress),
            Some(adapter) => {
                Checkpoint::open_with_adapter(&path, &adapter.to_string_lossy(), progress)
            }
        }
    }
}

impl ModelEntry {
    /// How the class is given a dialogue.
    fn markup(
        &self,
        prompts: PromptForm,
        class: &str,
        eos_token_ids: &mut Vec<u32>,
        notes: &mut Vec<String>,
    ) -> Result<Markup, PlanError> {
        let meta_template = self.meta_template.as_ref().filter(|node| !node.is_none());
        if prompts == PromptForm::Messages {
            let api = meta_template.map(ApiTemplate::from_node).transpose()?;
            return Ok(Markup::Chat(Box::new(api.unwrap_or_else(ApiTemplate::hugging_face))));
        }
        let Some(meta) = meta_template.map(MetaTemplate::from_node).transpose()? else {
            return Ok(Markup::Lines);
        };
        if prompts == PromptForm::Text {
            notes.push(format!(
                "{class} ignores meta_template; use HuggingFaceCausalLM if it should count"
            ));
            return Ok(Markup::Lines);
        }
        eos_token_ids.extend(meta.eos_token_id);
        Ok(Markup::Meta(Box::new(meta.wrapping_text(self.wrap_text_in_human_role))))
    }

    /// What inferencers fall back to; the entry's own fields come before `generation_kwargs`.
    fn defaults(
        &self,
        eos_token_ids: &mut Vec<u32>,
        notes: &mut Vec<String>,
    ) -> Result<ModelDefaults, ConfigError> {
        let own = ModelDefaults {
            max_out_len: self.max_out_len,
            min_out_len: self.min_out_len,
            sampling: None,
        };
        let Some(node) = self.generation_kwargs.as_ref().filter(|node| !node.is_none()) else {
            return Ok(own);
        };
        let kwargs: GenerationKwargs =
            from_node(node).map_err(|error: ConfigError| error.under("generation_kwargs"))?;
        let sampling = kwargs.sampling(&node.origin)?;
        match kwargs.eos_token_id {
            Some(EosTokenId::One(id)) => eos_token_ids.push(id),
            Some(EosTokenId::Many(ids)) => eos_token_ids.extend(ids),
            None => {}
        }
        if kwargs.num_return_sequences.is_some_and(|count| count > 1) {
            notes.push("one answer is generated: num_return_sequences has no effect".to_owned());
        }
        if let Some(Sampling { temperature, seed, .. }) = sampling {
            notes.push(format!("answers are drawn: temperature {temperature}, seed {seed}"));
        }
        Ok(ModelDefaults {
            max_out_len: own.max_out_len.or(kwargs.max_new_tokens),
            min_out_len: own.min_out_len.or(kwargs.min_new_tokens),
            sampling,
        })
    }

    /// Whether a prompt that is too long loses its beginning.
    fn truncate_left(&self, origin: &Origin) -> Result<Option<bool>, ConfigError> {
        let side =
            self.tokenizer_kwargs.as_ref().and_then(|kwargs| kwargs.truncation_side.as_deref());
        match side {
            None => Ok(None),
            Some("left") => Ok(Some(true)),
            Some("right") => Ok(Some(false)),
            Some(other) => Err(ConfigError::at(origin, format!("truncation_side is {other:?}"))
                .under("tokenizer_kwargs")
                .with_hint("write 'left' or 'right'")),
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
        assert!(plan.notes[0].contains("run_cfg") && plan.notes[1].contains("drawn"));
        let sampling = plan.defaults.sampling.unwrap();
        assert_eq!((sampling.top_k, sampling.top_p, sampling.seed), (Some(50), Some(0.9), 0));
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
