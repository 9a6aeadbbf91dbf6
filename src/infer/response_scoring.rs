//! How likely texts find answers that were given elsewhere: prompts of ids that are known before, nothing more.
//!
//! Which text is followed by which answer is decided by who makes it; no template is read and no record made of
//! it, so that a data set cannot name it.

use std::sync::Arc;

use super::{
    InferError, Inferencer, ModelDefaults, Outcome, Prepared, PreparedPrompt, Task, fit::Fitted,
};
use crate::{answer::Question, engine::ScoreRequest};

/// Scores the end of every text, whatever the sample is.
#[derive(Clone, Debug)]
pub(crate) struct ResponseScoring;

impl ResponseScoring {
    /// The ids of a prompt and of an answer to it, of which the answer is scored.
    pub(crate) fn prompt(context: &[u32], response: &[u32]) -> PreparedPrompt {
        let ids = context.iter().chain(response).copied().collect();
        let fitted = Fitted { text: String::new(), ids, truncated_tokens: 0 };
        PreparedPrompt { context_tokens: context.len(), ..PreparedPrompt::of(fitted) }
    }

    /// All that is asked about a sample.
    pub(crate) fn sample(sample: usize, prompts: Vec<PreparedPrompt>) -> Prepared {
        Prepared {
            sample,
            run: 0,
            prompts,
            foreseen: Vec::new(),
            in_context_examples: String::new(),
            dropped_examples: 0,
            askings: Vec::new(),
            dialogue: None,
            known: None,
        }
    }
}

impl Inferencer for ResponseScoring {
    fn mode(&self) -> &'static str {
        "ppl"
    }

    fn with_defaults(&self, _: ModelDefaults) -> Box<dyn Inferencer> {
        Box::new(self.clone())
    }

    fn check(&self, _: &Task<'_>) -> Result<Vec<String>, InferError> {
        Ok(Vec::new())
    }

    fn prepare(&self, _: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        Ok(Self::sample(sample, Vec::new()))
    }

    fn question(&self, prompt: &PreparedPrompt) -> Question {
        let ids = Arc::clone(&prompt.ids);
        Question::Score(ScoreRequest { ids, first_target: prompt.context_tokens })
    }

    fn outcome(&self, _: &Prepared) -> Outcome {
        Outcome::Failed { error: "what is scored here is kept in no record".to_owned() }
    }
}
