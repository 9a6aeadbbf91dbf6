//! `GenInferencer`: how the model goes on, greedily.

use serde::Deserialize;

use super::{
    Answer, InferError, Inferencer, ModelDefaults, Outcome, Prepared, PreparedPrompt, Request,
    Task, fit::fit, ppl::wrong_answer,
};
use crate::{
    config::{Component, ConfigError},
    engine::GenerateRequest,
    prompt::Mode,
};

/// Tokens that are generated when neither the inferencer nor the model says how many.
const DEFAULT_MAX_OUT_LEN_TOKENS: usize = 512;

/// Continues the prompt of every sample until an end-of-sequence token, a stop string or
/// `max_out_len` tokens.
#[derive(Clone, Debug)]
pub struct GenInferencer {
    max_out_len: usize,
    min_out_len: usize,
    stopping_criteria: Vec<String>,
    gen_field_replace_token: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    max_out_len: Option<usize>,
    min_out_len: Option<usize>,
    #[serde(default)]
    stopping_criteria: Vec<String>,
    #[serde(default)]
    gen_field_replace_token: String,
    #[serde(rename = "max_seq_len")]
    _max_seq_len: Option<usize>,
    #[serde(rename = "batch_size")]
    _batch_size: Option<usize>,
    #[serde(rename = "save_every")]
    _save_every: Option<usize>,
}

impl GenInferencer {
    /// Reads `dict(type=GenInferencer, max_out_len=…, stopping_criteria=[…])`; what it leaves out comes
    /// from the model's entry.
    pub fn from_component(
        component: &Component,
        defaults: ModelDefaults,
    ) -> Result<Self, ConfigError> {
        let params: Params = component.read()?;
        Ok(Self {
            max_out_len: params
                .max_out_len
                .or(defaults.max_out_len)
                .unwrap_or(DEFAULT_MAX_OUT_LEN_TOKENS),
            min_out_len: params.min_out_len.or(defaults.min_out_len).unwrap_or(0),
            // An empty stop string would end everything at once.
            stopping_criteria: params
                .stopping_criteria
                .into_iter()
                .filter(|stop| !stop.is_empty())
                .collect(),
            gen_field_replace_token: params.gen_field_replace_token,
        })
    }
}

impl Inferencer for GenInferencer {
    fn mode(&self) -> &'static str {
        "gen"
    }

    fn max_new_tokens(&self) -> usize {
        self.max_out_len
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        if self.max_out_len >= task.max_seq_len_tokens {
            return Err(InferError::Mismatch(format!(
                "max_out_len is {} tokens and max_seq_len is {}: no room is left for a prompt; lower max_out_len",
                self.max_out_len, task.max_seq_len_tokens
            )));
        }
        Ok(Vec::new())
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        let retrieved = &task.examples[sample];
        let mut chosen = retrieved.clone();
        let mask = &self.gen_field_replace_token;
        let room_tokens = task.max_seq_len_tokens.saturating_sub(self.max_out_len);
        let fitted = fit(task, sample, &mut chosen, room_tokens, |ice| {
            task.generation_text(sample, ice, mask, Mode::Gen)
        })?;
        let stop = self.stopping_criteria.iter().chain(task.stop_words).cloned().collect();
        let prompt = PreparedPrompt { stop, ..PreparedPrompt::of(fitted) };
        Ok(Prepared::single(sample, prompt, retrieved.len() - chosen.len()))
    }

    fn request(&self, prompt: &PreparedPrompt) -> Request {
        Request::Generate(GenerateRequest {
            ids: prompt.ids.clone(),
            max_new_tokens: self.max_out_len,
            min_new_tokens: self.min_out_len,
            stop: prompt.stop.clone(),
            sampling: None,
        })
    }

    fn outcome(&self, prepared: Prepared, answers: Vec<Answer>) -> Outcome {
        match prepared.prompts.into_iter().zip(answers).next() {
            Some((prompt, Answer::Generation(generation))) => Outcome::Generated {
                prompt: prompt.origin_prompt,
                prediction: generation.text,
                prompt_tokens: prompt.ids.len(),
                ids: generation.ids,
                finish: generation.finish,
            },
            Some((_, Answer::Failed(error))) => Outcome::Failed { error },
            _ => wrong_answer(),
        }
    }
}
