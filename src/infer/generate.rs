//! `GenInferencer`: how the model goes on, greedily.

use serde::Deserialize;

use super::{
    Continued, InferError, Inferencer, ModelDefaults, Outcome, Prepared, PreparedPrompt, Task,
    continuation::Continuation, examples::Examples, fit::fit,
};
use crate::{
    answer::Question,
    config::{Component, ConfigError},
    prompt::Mode,
};

/// Continues the prompt of every sample until an end-of-sequence token, a stop string or
/// `max_out_len` tokens.
#[derive(Clone, Debug)]
pub struct GenInferencer {
    continuation: Continuation,
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
}

impl GenInferencer {
    /// Reads `dict(type=GenInferencer, max_out_len=…, stopping_criteria=[…])`; what it leaves out comes
    /// from the model's entry.
    pub fn from_component(component: &Component) -> Result<Self, ConfigError> {
        let Params { max_out_len, min_out_len, stopping_criteria, gen_field_replace_token } =
            component.read()?;
        Ok(Self {
            continuation: Continuation::new(max_out_len, min_out_len, stopping_criteria),
            gen_field_replace_token,
        })
    }
}

impl Inferencer for GenInferencer {
    fn mode(&self) -> &'static str {
        "gen"
    }

    fn with_defaults(&self, defaults: ModelDefaults) -> Box<dyn Inferencer> {
        let continuation = self.continuation.with_defaults(defaults);
        Box::new(Self { continuation, ..self.clone() })
    }

    fn mask(&self) -> Option<&str> {
        Some(&self.gen_field_replace_token)
    }

    fn max_new_tokens(&self) -> usize {
        self.continuation.max_out_len()
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        Continuation::check(task, self.continuation.max_out_len())?;
        Ok(Vec::new())
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        let mut examples = Examples::retrieved(task, sample)?;
        let mask = &self.gen_field_replace_token;
        let max_new_tokens = self.continuation.max_out_len();
        let room_tokens = task.room_tokens(max_new_tokens);
        let fitted = fit(task, &mut examples, room_tokens, |ice| {
            task.generation_text(sample, ice, mask, Mode::Gen)
        })?;
        let prompt = self.continuation.prompt(task, fitted, max_new_tokens);
        Ok(Prepared::single(sample, prompt, examples.dropped()))
    }

    fn question(&self, prompt: &PreparedPrompt) -> Question {
        self.continuation.question(prompt)
    }

    fn outcome(&self, prepared: &Prepared) -> Outcome {
        let prompt = prepared.prompts.first();
        Outcome::Generated {
            prompt: prompt.map(|prompt| prompt.origin_prompt.to_string()).unwrap_or_default(),
            continuation: Continued::default(),
        }
    }
}
