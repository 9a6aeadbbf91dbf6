//! `LLInferencer`: how likely the row's continuation is in the prompt of every label.
//!
//! The continuation is the column `cont`. As in OpenCompass it is what the prompt has more tokens than the prompt
//! without it, wherever it stands, and the largest sum of log-probabilities wins, not the largest mean.

use serde::Deserialize;
use serde_json::Value as Json;

use super::{
    InferError, Inferencer, ModelDefaults, Outcome, Prepared, PreparedPrompt, RankedForm, Task,
    Wanted,
    examples::Examples,
    fit::fit,
    ppl::{candidate, labelled},
};
use crate::{
    answer::Question,
    config::{Component, ConfigError, Node},
    engine::ScoreRequest,
    prompt::Label,
};

/// The column of the continuation.
const CONTINUATION: &str = "cont";

/// Scores the continuation in the prompt of every label.
#[derive(Clone, Debug)]
pub struct LogLikelihoodInferencer {
    labels: Option<Vec<Label>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    labels: Option<Vec<Node>>,
}

impl LogLikelihoodInferencer {
    /// Reads `dict(type=LLInferencer, labels=…)`.
    pub fn from_component(component: &Component) -> Result<Self, ConfigError> {
        let Params { labels } = component.read()?;
        let labels = labels.map(|nodes| nodes.iter().filter_map(Label::from_node).collect());
        Ok(Self { labels })
    }

    fn labels<'a>(&'a self, task: &'a Task<'_>) -> &'a [Label] {
        self.labels.as_deref().unwrap_or_else(|| task.labels())
    }
}

impl Inferencer for LogLikelihoodInferencer {
    fn mode(&self) -> &'static str {
        "ll"
    }

    fn with_defaults(&self, _: ModelDefaults) -> Box<dyn Inferencer> {
        Box::new(self.clone())
    }

    fn ranks(&self) -> bool {
        true
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        let refused = |what: String| Err(InferError::Mismatch(what));
        if task.wanted != Wanted::Nothing {
            return refused(
                "LLInferencer asks no candidates in other ways; choose another scoring rule"
                    .to_owned(),
            );
        }
        let labels = self.labels(task);
        if labels.len() < 2 {
            return refused(format!(
                "LLInferencer needs at least two candidates, but the templates and the data give {}; write the template as a \
                 dict from label to prompt",
                labels.len()
            ));
        }
        Ok(Vec::new())
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        let refused = |what: String| Err(InferError::Mismatch(format!("sample {sample}: {what}")));
        let row = task.test.get(sample).and_then(|row| row.get(CONTINUATION));
        let Some(continuation) = row.and_then(Json::as_str) else {
            return refused(format!(
                "LLInferencer scores the text of the column {CONTINUATION}, and there is none"
            ));
        };
        let mut examples = Examples::retrieved(task, sample)?;
        let in_context_examples = examples.text(task)?.to_owned();
        let mut prompts = Vec::new();
        for label in self.labels(task) {
            let fitted = fit(task, &mut examples, task.max_seq_len_tokens, |ice| {
                task.candidate_text(sample, ice, label)
            })?;
            let context = match continuation {
                "" => fitted.text.clone(),
                some => fitted.text.replace(some, ""),
            };
            let context_ids = task.tokenizer.encode_within(&context, task.max_seq_len_tokens);
            let context_tokens =
                context_ids.map_err(|what| InferError::Tokenizer { sample, what })?.len().max(1);
            if context_tokens >= fitted.ids.len() {
                return refused(format!(
                    "label {label}: the prompt has no token more than without {continuation:?}; the template has to hold \
                     the column {CONTINUATION}, and the prompt has to fit"
                ));
            }
            let answer_bytes =
                if fitted.text.ends_with(continuation) { continuation.len() } else { 0 };
            prompts.push(PreparedPrompt {
                context_tokens,
                answer_start: context_tokens,
                answer_bytes,
                ..labelled(task, &mut examples, label, fitted)?
            });
        }
        Ok(Prepared {
            in_context_examples,
            ..Prepared::of_prompts(sample, prompts, examples.dropped())
        })
    }

    fn question(&self, prompt: &PreparedPrompt) -> Question {
        let first_target = prompt.context_tokens.max(1);
        Question::Score(ScoreRequest { ids: prompt.ids.clone(), first_target })
    }

    fn outcome(&self, prepared: &Prepared) -> Outcome {
        Outcome::Ranked {
            form: RankedForm::LogLikelihood,
            in_context_examples: prepared.in_context_examples.clone(),
            candidates: prepared.prompts.iter().map(candidate).collect(),
            counterparts: Vec::new(),
        }
    }
}
