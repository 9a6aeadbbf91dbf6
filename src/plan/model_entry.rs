//! The fields of an entry of `models`, and what several of them together come to: how the model is given a
//! dialogue, what inferencers fall back to, which side of a long prompt is lost.

use serde::Deserialize;

use super::{
    PlanError,
    model_classes::PromptForm,
    unread_fields::{Place, settle},
};
use crate::{
    config::{Component, ConfigError, Node, Origin, from_node},
    engine::Sampling,
    infer::{Drawing, ModelDefaults},
    prompt::{ApiTemplate, Markup, MetaTemplate},
};

/// What an entry says, without what is settled or read before.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelEntry {
    pub(super) r#type: Node,
    pub(super) abbr: Option<String>,
    pub(super) path: String,
    pub(super) peft_path: Option<String>,
    pub(super) max_seq_len: Option<usize>,
    pub(super) max_out_len: Option<usize>,
    pub(super) min_out_len: Option<usize>,
    pub(super) meta_template: Option<Node>,
    #[serde(default)]
    pub(super) wrap_text_in_human_role: bool,
    pub(super) tokenizer_kwargs: Option<Node>,
    pub(super) tokenizer_path: Option<String>,
    pub(super) stop_words: Option<Vec<String>>,
    pub(super) end_str: Option<String>,
    pub(super) generation_kwargs: Option<Node>,
    pub(super) pred_postprocessor: Option<Component>,
    pub(super) model_kwargs: Option<Node>,
    pub(super) gen_config: Option<Node>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenizerKwargs {
    truncation_side: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GenerationKwargs {
    max_new_tokens: Option<usize>,
    min_new_tokens: Option<usize>,
    num_return_sequences: Option<usize>,
    eos_token_id: Option<EosTokenId>,
    #[serde(default)]
    do_sample: bool,
    temperature: Option<f64>,
    top_k: Option<usize>,
    top_p: Option<f64>,
    min_p: Option<f64>,
    seed: Option<u64>,
}

impl GenerationKwargs {
    /// Whether anything is said about drawing that is not also true of the likeliest token.
    fn draws(&self) -> bool {
        self.temperature.is_some_and(|temperature| temperature > 0.0)
            || self.top_k.is_some_and(|tokens| tokens > 1)
            || self.top_p.is_some()
            || self.min_p.is_some()
    }

    /// How tokens are drawn, if they are.
    fn sampling(&self, origin: &Origin) -> Result<Option<Sampling>, ConfigError> {
        let Self { do_sample, temperature, top_k, top_p, min_p, seed, .. } = *self;
        let drawing = Drawing { do_sample, temperature, top_k, top_p, min_p, seed };
        let refused = |what| ConfigError::at(origin, what).under("generation_kwargs");
        drawing.sampling().map_err(refused)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum EosTokenId {
    One(u32),
    Many(Vec<u32>),
}

impl ModelEntry {
    /// How the model is given a dialogue.
    pub(super) fn markup(
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
    pub(super) fn defaults(
        &self,
        eos_token_ids: &mut Vec<u32>,
        notes: &mut Vec<String>,
    ) -> Result<ModelDefaults, ConfigError> {
        let own = ModelDefaults {
            max_out_len: self.max_out_len,
            min_out_len: self.min_out_len,
            ..ModelDefaults::default()
        };
        let Some(node) = self.generation_kwargs.as_ref().filter(|node| !node.is_none()) else {
            return Ok(own);
        };
        let under = |error: ConfigError| error.under("generation_kwargs");
        let mut fields = node.clone();
        notes.extend(settle(Place::GenerationKwargs, &mut fields).map_err(under)?);
        let kwargs: GenerationKwargs = from_node(&fields).map_err(under)?;
        let sampling = kwargs.sampling(&node.origin)?;
        match &kwargs.eos_token_id {
            Some(EosTokenId::One(id)) => eos_token_ids.push(*id),
            Some(EosTokenId::Many(ids)) => eos_token_ids.extend(ids),
            None => {}
        }
        if !kwargs.do_sample && kwargs.draws() {
            notes.push(
                "the likeliest tokens are taken: temperature, top_k, top_p and min_p need do_sample=True"
                    .to_owned(),
            );
        }
        let refused = |what: &str, hint: &str| {
            Err(under(ConfigError::at(&node.origin, what)).with_hint(hint))
        };
        match kwargs.num_return_sequences {
            Some(0) => return refused("num_return_sequences is 0", "give a number from 1 on"),
            Some(2..) if sampling.is_none() => {
                return refused(
                    "num_return_sequences needs do_sample=True: two answers would be equal",
                    "draw them, or leave it out",
                );
            }
            _ => {}
        }
        if let Some(Sampling { temperature, seed, .. }) = sampling {
            notes.push(format!("answers are drawn: temperature {temperature}, seed {seed}"));
        }
        Ok(ModelDefaults {
            max_out_len: own.max_out_len.or(kwargs.max_new_tokens),
            min_out_len: own.min_out_len.or(kwargs.min_new_tokens),
            sampling,
            answers: kwargs.num_return_sequences,
        })
    }

    /// Whether a prompt that is too long loses its beginning.
    pub(super) fn truncate_left(
        &self,
        notes: &mut Vec<String>,
    ) -> Result<Option<bool>, ConfigError> {
        let Some(node) = self.tokenizer_kwargs.as_ref().filter(|node| !node.is_none()) else {
            return Ok(None);
        };
        let under = |error: ConfigError| error.under("tokenizer_kwargs");
        let mut fields = node.clone();
        notes.extend(settle(Place::TokenizerKwargs, &mut fields).map_err(under)?);
        let kwargs: TokenizerKwargs = from_node(&fields).map_err(under)?;
        match kwargs.truncation_side.as_deref() {
            None => Ok(None),
            Some("left") => Ok(Some(true)),
            Some("right") => Ok(Some(false)),
            Some(other) => {
                Err(under(ConfigError::at(&node.origin, format!("truncation_side is {other:?}")))
                    .with_hint("write 'left' or 'right'"))
            }
        }
    }
}
