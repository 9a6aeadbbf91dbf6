//! One entry of `models`, understood.

use std::path::PathBuf;

use serde::Deserialize;

use super::{RunError, fields, locate::locate};
use crate::{
    config::{Component, ConfigError, Node, Origin, from_node, unknown_name},
    infer::ModelDefaults,
    postprocess::{self, Postprocessor},
    prompt::{ApiTemplate, Markup, MetaTemplate},
};

/// Classes that mean "a local model, run by us", and whether they read a `meta_template`.
const LOCAL_MODELS: &[(&str, bool)] = &[
    ("HuggingFace", true),
    ("HuggingFaceBaseModel", false),
    ("HuggingFaceCausalLM", true),
    ("LmdeployPytorchModel", true),
    ("TurboMindModel", true),
    ("VLLM", true),
];

/// Classes that go through the checkpoint's chat template.
const CHAT_MODELS: &[&str] =
    &["HuggingFacewithChatTemplate", "TurboMindModelwithChatTemplate", "VLLMwithChatTemplate"];

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
    "run_cfg",
    "tokenizer_only",
    "use_fastchat_template",
];

/// A model to be evaluated.
pub struct ModelPlan {
    /// Its name in tables and folders.
    pub abbr: String,
    /// The folder of the checkpoint, or a name to be found in the Hugging Face cache.
    pub path: PathBuf,
    /// How it is given a dialogue.
    pub markup: Markup,
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
struct Entry {
    r#type: Node,
    abbr: Option<String>,
    path: String,
    max_seq_len: Option<usize>,
    max_out_len: Option<usize>,
    min_out_len: Option<usize>,
    meta_template: Option<Node>,
    #[serde(default)]
    wrap_text_in_human_role: bool,
    #[serde(default)]
    tokenizer_kwargs: TokenizerKwargs,
    tokenizer_path: Option<String>,
    #[serde(default)]
    stop_words: Vec<String>,
    end_str: Option<String>,
    generation_kwargs: Option<Node>,
    pred_postprocessor: Option<Component>,
}

#[derive(Default, Deserialize)]
struct TokenizerKwargs {
    truncation_side: Option<String>,
}

#[derive(Deserialize)]
struct GenerationKwargs {
    max_new_tokens: Option<usize>,
    min_new_tokens: Option<usize>,
    eos_token_id: Option<EosTokenId>,
    do_sample: Option<bool>,
    num_return_sequences: Option<usize>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum EosTokenId {
    One(u32),
    Many(Vec<u32>),
}

impl ModelPlan {
    /// Understands an entry; `config` is the file it stands in.
    pub fn from_node(node: &Node, config: &std::path::Path) -> Result<Self, RunError> {
        let entry: Entry = from_node(node)?;
        let component = Component::parse(&entry.r#type)?;
        let class = component.type_name.as_str();
        let mut notes = fields::notes(node, KNOWN, WITHOUT_MEANING);

        let meta_template = entry.meta_template.as_ref().filter(|node| !node.is_none());
        let mut eos_token_ids: Vec<u32> = Vec::new();
        let markup = if CHAT_MODELS.contains(&class) {
            let api = meta_template.map(ApiTemplate::from_node).transpose()?;
            Markup::Chat(Box::new(api.unwrap_or_else(ApiTemplate::hugging_face)))
        } else {
            let meta = meta_template.map(MetaTemplate::from_node).transpose()?;
            eos_token_ids.extend(meta.iter().filter_map(|meta| meta.eos_token_id));
            match meta {
                Some(meta) if reads_meta_template(class, &entry.r#type.origin)? => {
                    Markup::Meta(Box::new(meta.wrapping_text(entry.wrap_text_in_human_role)))
                }
                Some(_) => {
                    notes.push(format!(
                        "{class} ignores meta_template; use HuggingFaceCausalLM if it should count"
                    ));
                    Markup::Lines
                }
                None => {
                    reads_meta_template(class, &entry.r#type.origin)?;
                    Markup::Lines
                }
            }
        };

        let kwargs: Option<GenerationKwargs> = entry
            .generation_kwargs
            .as_ref()
            .map(from_node)
            .transpose()
            .map_err(|error: ConfigError| error.under("generation_kwargs"))?;
        let mut defaults =
            ModelDefaults { max_out_len: entry.max_out_len, min_out_len: entry.min_out_len };
        if let Some(kwargs) = kwargs {
            defaults.max_out_len = defaults.max_out_len.or(kwargs.max_new_tokens);
            defaults.min_out_len = defaults.min_out_len.or(kwargs.min_new_tokens);
            match kwargs.eos_token_id {
                Some(EosTokenId::One(id)) => eos_token_ids.push(id),
                Some(EosTokenId::Many(ids)) => eos_token_ids.extend(ids),
                None => {}
            }
            if kwargs.do_sample == Some(true)
                || kwargs.num_return_sequences.is_some_and(|count| count > 1)
            {
                notes.push(
                    "generation is greedy: do_sample and num_return_sequences have no effect"
                        .to_owned(),
                );
            }
        }
        if entry.tokenizer_path.as_ref().is_some_and(|path| *path != entry.path) {
            notes.push(
                "tokenizer_path is ignored: the tokenizer beside the weights is used".to_owned(),
            );
        }
        let truncate_left = match entry.tokenizer_kwargs.truncation_side.as_deref() {
            None => None,
            Some("left") => Some(true),
            Some("right") => Some(false),
            Some(other) => {
                return Err(ConfigError::at(&node.origin, format!("truncation_side is {other:?}"))
                    .under("tokenizer_kwargs")
                    .with_hint("write 'left' or 'right'")
                    .into());
            }
        };
        if entry.max_seq_len == Some(0) {
            return Err(ConfigError::at(&node.origin, "max_seq_len is 0: no prompt fits").into());
        }
        let written = PathBuf::from(&entry.path);
        Ok(Self {
            abbr: entry.abbr.unwrap_or_else(|| default_abbr(class, &entry.path)),
            path: locate(&written, config).unwrap_or(written),
            markup,
            max_seq_len_tokens: entry.max_seq_len,
            defaults,
            truncate_left,
            stop_words: entry
                .stop_words
                .into_iter()
                .chain(entry.end_str)
                .filter(|stop| !stop.is_empty())
                .collect(),
            eos_token_ids,
            postprocessor: entry.pred_postprocessor.as_ref().map(postprocess::build).transpose()?,
            notes,
            node: node.clone(),
        })
    }
}

/// Whether a class reads a `meta_template`; an error for one that is no local model.
fn reads_meta_template(class: &str, origin: &Origin) -> Result<bool, ConfigError> {
    if let Some((_, reads)) = LOCAL_MODELS.iter().find(|(name, _)| *name == class) {
        return Ok(*reads);
    }
    let known = LOCAL_MODELS.iter().map(|(name, _)| *name).chain(CHAT_MODELS.iter().copied());
    Err(unknown_name("model type", class, known, origin))
}

/// OpenCompass's name for a model without `abbr`: the class and the last two parts of its path.
fn default_abbr(class: &str, path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let tail = parts[parts.len().saturating_sub(2)..].join("_");
    format!("{class}_{tail}")
}
