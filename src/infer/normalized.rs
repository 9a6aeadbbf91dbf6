//! Candidates whose answers are compared with themselves after another text (`normalizing_str`).
//!
//! A common word is a likely answer to anything. The template marks with its `sep_token` where the
//! answer begins; its surprisal after the context, minus its surprisal after the normalizing text, is
//! what the context has to say about it. Both are means over the tokens after the context, whose
//! number is that of the context tokenised on its own, as in OpenCompass.

use std::sync::Arc;

use super::{
    Candidate, InferError, Normalizer, PreparedPrompt, Task,
    examples::Examples,
    fit::fit,
    ppl::{candidate, labelled},
    text_tokens::image_rows,
};
use crate::prompt::Label;

/// A candidate's two prompts: the answer after its context, and after `normalizing_text`.
pub(super) fn prompts(
    task: &Task<'_>,
    examples: &mut Examples,
    label: &Label,
    normalizing_text: &str,
) -> Result<[PreparedPrompt; 2], InferError> {
    let sample = examples.sample();
    let failed = |source| InferError::Prompt { sample, source };
    let refused = |what: &str| {
        Err(InferError::Mismatch(format!("sample {sample}, label {label}: normalizing_str {what}")))
    };
    let room_tokens = task.max_seq_len_tokens;
    let fitted = fit(task, examples, room_tokens, |ice| {
        let parts = task.candidate_parts(sample, ice, label)?;
        Ok(parts.map(|(context, answer)| context + &answer).unwrap_or_default())
    })?;
    let parts = task.candidate_parts(sample, examples.prompt(), label).map_err(failed)?;
    let Some((context, answer)) = parts else {
        return refused(
            "needs a template that is a text and holds the prompt_template's sep_token where the answer begins",
        );
    };
    let normalizing = fit(task, &mut Examples::none(task, sample)?, room_tokens, |_| {
        Ok(normalizing_text.to_owned() + &answer)
    })?;
    let tokens = |text: &str| {
        // No more than could show that there is no room for the answer.
        let text = task.bounds(text).map_or(text, |bounds| &text[bounds]);
        let ids = task.tokenizer.encode(text);
        ids.map(|ids| ids.len()).map_err(|what| InferError::Tokenizer { sample, what })
    };
    let context_tokens = tokens(&context)?;
    let own = PreparedPrompt {
        context_tokens,
        answer_start: context_tokens,
        answer_bytes: answer.len(),
        ..labelled(task, examples, label, fitted)?
    };
    let other = PreparedPrompt {
        context_tokens: tokens(normalizing_text)?,
        ..PreparedPrompt::of(normalizing)
    };
    if [&own, &other].iter().any(|prompt| prompt.ids.len() <= prompt.context_tokens) {
        return refused("leaves no token of the answer to score; is it empty, or was it cut off?");
    }
    Ok([own, other])
}

/// Candidates of such pairs of prompts.
pub(super) fn candidates(prompts: &[PreparedPrompt]) -> Vec<Candidate> {
    let pairs = prompts.chunks_exact(2);
    pairs
        .map(|pair| {
            let (own, other) = (&pair[0], &pair[1]);
            let normalizer = Normalizer {
                context_tokens: own.context_tokens
                    - image_rows(own.ids.get(..own.context_tokens).unwrap_or_default()),
                prompt: other.text.to_string(),
                normalizing_tokens: other.context_tokens,
                ids: Arc::default(),
                sum_nll_nats: 0.0,
                nlls: Vec::new(),
            };
            Candidate { normalizer: Some(Box::new(normalizer)), ..candidate(own) }
        })
        .collect()
}
