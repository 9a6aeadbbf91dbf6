//! `PPLOnlyInferencer`: how surprising each text is, without candidates.

use serde::Deserialize;

use super::{
    Answer, InferError, Inferencer, Outcome, Prepared, PreparedPrompt, Request, Task,
    fit::fit,
    ppl::{candidate, wrong_answer},
};
use crate::{
    config::{Component, ConfigError},
    engine::ScoreRequest,
    prompt::Mode,
};

/// Scores the prompt of every sample, Σ nll / N.
#[derive(Clone, Debug)]
pub struct PplOnlyInferencer;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    #[serde(rename = "max_seq_len")]
    _max_seq_len: Option<usize>,
    #[serde(rename = "batch_size")]
    _batch_size: Option<usize>,
    #[serde(rename = "save_every")]
    _save_every: Option<usize>,
}

impl PplOnlyInferencer {
    /// Reads `dict(type=PPLOnlyInferencer)`.
    pub fn from_component(component: &Component) -> Result<Self, ConfigError> {
        component.read::<Params>().map(|_| Self)
    }
}

impl Inferencer for PplOnlyInferencer {
    fn mode(&self) -> &'static str {
        "ppl"
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        match task.output_column {
            None => Ok(Vec::new()),
            Some(column) => Err(InferError::Mismatch(format!(
                "PPLOnlyInferencer scores texts and has no gold answers, but reader_cfg.output_column is {column:?}; set it to None"
            ))),
        }
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        let failed = |source| InferError::Prompt { sample, source };
        let retrieved = &task.examples[sample];
        let mut chosen = retrieved.clone();
        // Scored as a whole, reported as the prompt of a generation: OpenCompass's files have it so.
        let fitted = fit(task, sample, &mut chosen, task.max_seq_len_tokens, |ice| {
            task.generation_text(sample, ice, "", Mode::Ppl)
        })?;
        let origin_prompt =
            task.generation_text(sample, &fitted.ice, "", Mode::Gen).map_err(failed)?;
        let prompt =
            PreparedPrompt { origin_prompt: origin_prompt.into(), ..PreparedPrompt::of(fitted) };
        Ok(Prepared::single(sample, prompt, retrieved.len() - chosen.len()))
    }

    fn request(&self, prompt: &PreparedPrompt) -> Request {
        Request::Score(ScoreRequest { ids: prompt.ids.clone(), first_target: 1 })
    }

    fn outcome(&self, prepared: Prepared, answers: Vec<Answer>) -> Outcome {
        match prepared.prompts.into_iter().zip(answers).next() {
            Some((prompt, Answer::Score(score))) => {
                Outcome::Scored { candidate: candidate(&prompt, score) }
            }
            Some((_, Answer::Failed(error))) => Outcome::Failed { error },
            _ => wrong_answer(),
        }
    }
}
