//! What `POST /v1/completions` is asked.

use super::{
    decoding::Decoding,
    fields::Fields,
    limits::{Limits, MOST_RANKED},
    problem::Problem,
    prompt::Prompt,
    served_model::ModelFacts,
};
use serde_json::json;

/// Tokens that are written where nothing is said, as OpenAI's API has it.
const USUAL_MAX_TOKENS: usize = 16;

/// A body, read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CompletionRequest {
    pub(super) prompts: Vec<Prompt>,
    pub(super) max_tokens: usize,
    /// Whether the prompt stands before what is written.
    pub(super) echo: bool,
    /// How many of the likeliest tokens stand beside each, where log-probabilities are asked for.
    pub(super) logprobs: Option<usize>,
    pub(super) decoding: Decoding,
}

impl CompletionRequest {
    /// Reads a body.
    pub(super) fn read(body: &[u8], model: &ModelFacts, limits: &Limits) -> Result<Self, Problem> {
        let mut fields = Fields::read(body)?;
        model.check_name(fields.text("model")?.as_deref())?;
        let decoding = Decoding::take(&mut fields)?;
        let max_tokens = fields.count("max_tokens", 0..=usize::MAX)?.unwrap_or(USUAL_MAX_TOKENS);
        let echo = fields.switch("echo")?.unwrap_or(false);
        let logprobs = fields.count("logprobs", 0..=MOST_RANKED)?;
        let adds_special_tokens = fields.switch("add_special_tokens")?.unwrap_or(true);
        fields.refuse("suffix", &[json!("")])?;
        let prompt = fields.take("prompt");
        fields.finish()?;
        let Some(prompt) = prompt else {
            return Err(Problem::field("prompt", "`prompt` is missing"));
        };
        if decoding.n > limits.sequences {
            let message = format!("`n` is {}; at most {} fit", decoding.n, limits.sequences);
            return Err(Problem::field("n", message));
        }
        let most = limits.sequences / decoding.n;
        let mut prompts = Prompt::list(prompt, adds_special_tokens, most, echo, model)?;
        // A last token that nothing follows is not read.
        let most_tokens = model.context_tokens + usize::from(max_tokens == 0);
        for prompt in &mut prompts {
            if prompt.ids.len().saturating_add(max_tokens) > most_tokens {
                let tokens = prompt.ids.len();
                return Err(Problem::too_long("prompt", tokens, max_tokens, model.context_tokens));
            }
            if echo && logprobs.is_some() {
                prompt.locate(adds_special_tokens, model);
            }
        }
        Ok(Self { prompts, max_tokens, echo, logprobs, decoding })
    }
}
